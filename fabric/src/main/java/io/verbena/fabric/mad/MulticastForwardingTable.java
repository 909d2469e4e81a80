package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * One block of the MulticastForwardingTable: 16 of the output ports of 32 multicast LIDs. The attribute modifier names the block and, in its upper four bits, which 16 ports.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.12.
 */
public final class MulticastForwardingTable extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public MulticastForwardingTable wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** A bit for each of 16 output ports. */
    public int mask(int index) {
        return u16(2L * index);
    }

    /** Writes it. */
    public MulticastForwardingTable mask(int index, int value) {
        u16(2L * index, value);
        return this;
    }
}
