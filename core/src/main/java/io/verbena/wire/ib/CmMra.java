package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * MsgRcptAck (MRA): confirms a message whose answer takes longer.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   | MM|  Reserved |    ST   |  R  |    Private data, 222 bytes    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 222 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.6.
 */
public final class CmMra extends Header<CmMra> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 222;

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int MESSAGE_MRAED = 8;
    private static final int SERVICE_TIMEOUT = 9;
    private static final int PRIVATE_DATA = 10;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmMra localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmMra remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** Message MRAed: 0 REQ, 1 REP, 2 LAP. */
    public int messageMraed() {
        return bits(MESSAGE_MRAED, 0, 2);
    }

    public CmMra messageMraed(int value) {
        return bits(MESSAGE_MRAED, 0, 2, value);
    }

    /** Service Timeout: additional time, 4.096 us times 2 to this value. */
    public int serviceTimeout() {
        return bits(SERVICE_TIMEOUT, 0, 5);
    }

    public CmMra serviceTimeout(int value) {
        return bits(SERVICE_TIMEOUT, 0, 5, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmMra privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("MRA");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        out.append(" message=").append(messageMraed());
        out.append(" timeout=").append(serviceTimeout());
        return out;
    }
}
