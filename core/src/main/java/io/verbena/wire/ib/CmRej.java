package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 12.6.7.
 */
public final class CmRej {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 148;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int MESSAGE_REJECTED = 8;
    private static final int INFO_LENGTH = 9;
    private static final int REASON = 10;
    private static final int PRIVATE_DATA = 84;
    private static final int INFO = 12;
    private static final int INFO_BYTES = 72;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmRej wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return segment.get(U32, offset + LOCAL_COMM_ID);
    }

    /** Writes localCommId. */
    public CmRej localCommId(int value) {
        segment.set(U32, offset + LOCAL_COMM_ID, value);
        return this;
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return segment.get(U32, offset + REMOTE_COMM_ID);
    }

    /** Writes remoteCommId. */
    public CmRej remoteCommId(int value) {
        segment.set(U32, offset + REMOTE_COMM_ID, value);
        return this;
    }

    /** Message REJected: 0 REQ, 1 REP, 2 no message (a time-out). */
    public int messageRejected() {
        return segment.get(U8, offset + MESSAGE_REJECTED) >>> 6 & 0x3;
    }

    /** Writes messageRejected. */
    public CmRej messageRejected(int value) {
        segment.set(U8, offset + MESSAGE_REJECTED, (byte)
                (segment.get(U8, offset + MESSAGE_REJECTED) & ~0xc0 | (value & 0x3) << 6));
        return this;
    }

    /** Reject Info Length in bytes. */
    public int infoLength() {
        return segment.get(U8, offset + INFO_LENGTH) >>> 1 & 0x7f;
    }

    /** Writes infoLength. */
    public CmRej infoLength(int value) {
        segment.set(
                U8, offset + INFO_LENGTH, (byte) (segment.get(U8, offset + INFO_LENGTH) & ~0xfe | (value & 0x7f) << 1));
        return this;
    }

    /** Reason, see section 12.6.7.2. */
    public int reason() {
        return segment.get(U16, offset + REASON) & 0xffff;
    }

    /** Writes reason. */
    public CmRej reason(int value) {
        segment.set(U16, offset + REASON, (short) value);
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmRej privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Reject information: infoLength bytes, at most 72. */
    public byte[] info() {
        return segment.asSlice(offset + INFO, Math.min(infoLength(), INFO_BYTES))
                .toArray(U8);
    }

    /** Writes reject information. */
    public CmRej info(byte[] info) {
        int bytes = Math.min(info.length, INFO_BYTES);
        MemorySegment.copy(info, 0, segment, U8, offset + INFO, bytes);
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
