package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The RDMA Extended Transport Header: the memory of the responder that a Write or Read accesses.
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
 *   |                           DMA Length                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.3.3.
 */
public final class Reth {
    /** Length in bytes. */
    public static final int LENGTH = 16;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int VA = 0;
    private static final int R_KEY = 8;
    private static final int DMA_LENGTH = 12;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Reth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** VA: the address of the first byte. */
    public long va() {
        return segment.get(U64, offset + VA);
    }

    /** Writes va. */
    public Reth va(long value) {
        segment.set(U64, offset + VA, value);
        return this;
    }

    /** R_Key: the remote key of the memory. */
    public int rKey() {
        return segment.get(U32, offset + R_KEY);
    }

    /** Writes rKey. */
    public Reth rKey(int value) {
        segment.set(U32, offset + R_KEY, value);
        return this;
    }

    /** DMALen: length of the message in bytes, unsigned, at most 2^31. */
    public int dmaLength() {
        return segment.get(U32, offset + DMA_LENGTH);
    }

    /** Writes dmaLength. */
    public Reth dmaLength(int value) {
        segment.set(U32, offset + DMA_LENGTH, value);
        return this;
    }

    /** Appends one line such as {@code va=0x0000000000001000 rkey=0x00000005 length=64}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("va=0x"), va(), 16);
        Hex.append(out.append(" rkey=0x"), rKey(), 8);
        return out.append(" length=").append(Integer.toUnsignedLong(dmaLength()));
    }
}
