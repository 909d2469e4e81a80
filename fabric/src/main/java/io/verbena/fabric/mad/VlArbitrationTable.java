package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * Half of a VLArbitrationTable: entries that are served in turn.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.9.
 */
public final class VlArbitrationTable extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public VlArbitrationTable wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** The virtual lane of an entry. */
    public int vl(int index) {
        return bits(16 * index + 4, 4);
    }

    /** Writes it. */
    public VlArbitrationTable vl(int index, int value) {
        bits(16 * index + 4, 4, value);
        return this;
    }

    /** The weight of an entry in units of 64 bytes; 0 skips it. */
    public int weight(int index) {
        return u8(2L * index + 1);
    }

    /** Writes it. */
    public VlArbitrationTable weight(int index, int value) {
        u8(2L * index + 1, value);
        return this;
    }
}
