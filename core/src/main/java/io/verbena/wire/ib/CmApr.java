package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * AlternatePathResponse (APR): answers a LAP.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |   infoLength  |     status    |            Reserved           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 148 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.8.2.
 */
public final class CmApr extends Header<CmApr> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 148;

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int INFO_LENGTH = 8;
    private static final int STATUS = 9;
    private static final int PRIVATE_DATA = 84;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmApr localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmApr remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** Additional Information Length. */
    public int infoLength() {
        return u8(INFO_LENGTH);
    }

    public CmApr infoLength(int value) {
        return u8(INFO_LENGTH, value);
    }

    /** AP Status: 0 path loaded, 3 path rejected. */
    public int status() {
        return u8(STATUS);
    }

    public CmApr status(int value) {
        return u8(STATUS, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmApr privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("APR");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        out.append(" status=").append(status());
        return out;
    }
}
