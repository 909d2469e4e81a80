package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Atomic Extended Transport Header: address and operands of an atomic operation.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                        Virtual Address                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             R_Key                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                       Swap (or Add) Data                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          Compare Data                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.3.4.
 */
public final class AtomicEth {
    /** Length in bytes. */
    public static final int LENGTH = 28;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int VA = 0;
    private static final int R_KEY = 8;
    private static final int SWAP_OR_ADD_DATA = 12;
    private static final int COMPARE_DATA = 20;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public AtomicEth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** VA: the address of the word, a multiple of 8. */
    public long va() {
        return segment.get(U64, offset + VA);
    }

    /** Writes va. */
    public AtomicEth va(long value) {
        segment.set(U64, offset + VA, value);
        return this;
    }

    /** R_Key: the remote key of the memory. */
    public int rKey() {
        return segment.get(U32, offset + R_KEY);
    }

    /** Writes rKey. */
    public AtomicEth rKey(int value) {
        segment.set(U32, offset + R_KEY, value);
        return this;
    }

    /** SwapDt: the value to store or to add. */
    public long swapOrAddData() {
        return segment.get(U64, offset + SWAP_OR_ADD_DATA);
    }

    /** Writes swapOrAddData. */
    public AtomicEth swapOrAddData(long value) {
        segment.set(U64, offset + SWAP_OR_ADD_DATA, value);
        return this;
    }

    /** CmpDt: the value to compare with; ignored by a fetch-and-add. */
    public long compareData() {
        return segment.get(U64, offset + COMPARE_DATA);
    }

    /** Writes compareData. */
    public AtomicEth compareData(long value) {
        segment.set(U64, offset + COMPARE_DATA, value);
        return this;
    }

    /**
     * Appends one line such as {@code va=0x0000000000001000 rkey=0x00000005 swap=0x0000000000000001
     * compare=0x0000000000000000}.
     */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("va=0x"), va(), 16);
        Hex.append(out.append(" rkey=0x"), rKey(), 8);
        Hex.append(out.append(" swap=0x"), swapOrAddData(), 16);
        return Hex.append(out.append(" compare=0x"), compareData(), 16);
    }
}
