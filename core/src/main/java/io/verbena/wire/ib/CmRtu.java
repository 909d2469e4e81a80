package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * ReadyToUse (RTU): the requester has received the reply.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 224 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.9.
 */
public final class CmRtu extends Header<CmRtu> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 224;

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int PRIVATE_DATA = 8;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmRtu localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmRtu remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmRtu privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("RTU");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        return out;
    }
}
