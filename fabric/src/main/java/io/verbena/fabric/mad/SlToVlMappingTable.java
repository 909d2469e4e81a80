package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * SLtoVLMappingTable: the virtual lane of each service level, for one pair of input and output port.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.8.
 */
public final class SlToVlMappingTable extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 8;
    /** Number of entries. */
    public static final int ENTRIES = 16;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public SlToVlMappingTable wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** The virtual lane of a service level; 15 discards. */
    public int vl(int index) {
        return bits(4 * index, 4);
    }

    /** Writes it. */
    public SlToVlMappingTable vl(int index, int value) {
        bits(4 * index, 4, value);
        return this;
    }
}
