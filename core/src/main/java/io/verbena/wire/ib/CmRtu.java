package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 12.6.9.
 */
public final class CmRtu {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 224;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int LOCAL_COMM_ID = 0;
    private static final int REMOTE_COMM_ID = 4;
    private static final int PRIVATE_DATA = 8;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmRtu wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Local Communication ID: the sender's number of the connection. */
    public int localCommId() {
        return segment.get(U32, offset + LOCAL_COMM_ID);
    }

    /** Writes localCommId. */
    public CmRtu localCommId(int value) {
        segment.set(U32, offset + LOCAL_COMM_ID, value);
        return this;
    }

    /** Remote Communication ID: the receiver's number of the connection. */
    public int remoteCommId() {
        return segment.get(U32, offset + REMOTE_COMM_ID);
    }

    /** Writes remoteCommId. */
    public CmRtu remoteCommId(int value) {
        segment.set(U32, offset + REMOTE_COMM_ID, value);
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmRtu privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("RTU");
        Hex.append(out.append(" local=0x"), localCommId(), 8);
        Hex.append(out.append(" remote=0x"), remoteCommId(), 8);
        return out;
    }
}
