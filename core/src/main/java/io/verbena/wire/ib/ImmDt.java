package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Immediate data: four bytes that complete a receive.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                         Immediate Data                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 9.3.6.
 */
public final class ImmDt {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int IMMEDIATE = 0;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public ImmDt wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** The four bytes as one number in network order. */
    public int immediate() {
        return segment.get(U32, offset + IMMEDIATE);
    }

    /** Writes immediate. */
    public ImmDt immediate(int value) {
        segment.set(U32, offset + IMMEDIATE, value);
        return this;
    }

    /** Appends one line such as {@code imm=0x00000001}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("imm=0x"), immediate(), 8);
    }
}
