package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * One block of the LinearForwardingTable: the output ports of 64 LIDs; the attribute modifier names the block.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.10.
 */
public final class LinearForwardingTable extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public LinearForwardingTable wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** The output port of a LID of this block; 255 discards. */
    public int port(int index) {
        return u8(index);
    }

    /** Writes it. */
    public LinearForwardingTable port(int index, int value) {
        u8(index, value);
        return this;
    }
}
