package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;

/**
 * ConnectReject (REJ): rejects or abandons a connection.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          localCommId                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          remoteCommId                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   | MR|  Reserved |  infoLength |R|             reason            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 148 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.6.7.
 */
public final class CmRej extends Header<CmRej> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 148;

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int MESSAGE_REJECTED = 8;
    private static final int INFO_LENGTH = 9;
    private static final int REASON = 10;
    private static final int PRIVATE_DATA = 84;
    private static final int INFO = 12;
    private static final int INFO_BYTES = 72;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return u32(LOCAL_COMM_ID);
    }

    public CmRej localCommId(int value) {
        return u32(LOCAL_COMM_ID, value);
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return u32(REMOTE_COMM_ID);
    }

    public CmRej remoteCommId(int value) {
        return u32(REMOTE_COMM_ID, value);
    }

    /** Message REJected: 0 REQ, 1 REP, 2 no message (a time-out). */
    public int messageRejected() {
        return bits(MESSAGE_REJECTED, 0, 2);
    }

    public CmRej messageRejected(int value) {
        return bits(MESSAGE_REJECTED, 0, 2, value);
    }

    /** Reject Info Length in bytes. */
    public int infoLength() {
        return bits(INFO_LENGTH, 0, 7);
    }

    public CmRej infoLength(int value) {
        return bits(INFO_LENGTH, 0, 7, value);
    }

    /** Reason, see section 12.6.7.2. */
    public int reason() {
        return u16(REASON);
    }

    public CmRej reason(int value) {
        return u16(REASON, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmRej privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Reject information: infoLength bytes, at most 72. */
    public byte[] info() {
        return bytes(INFO, Math.min(infoLength(), INFO_BYTES));
    }

    /** Writes reject information. */
    public CmRej info(byte[] info) {
        int bytes = Math.min(info.length, INFO_BYTES);
        MemorySegment.copy(info, 0, segment(), U8, offset(INFO), bytes);
        return infoLength(bytes);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("REJ");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        out.append(" reason=").append(reason());
        return out;
    }
}
