package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * One block of the P_KeyTable; the attribute modifier names the block.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.7.
 */
public final class PkeyTable extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public PkeyTable wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** A P_Key: bit 15 for full membership, and 15 bits of the partition. */
    public int pKey(int index) {
        return u16(2L * index);
    }

    /** Writes it. */
    public PkeyTable pKey(int index, int value) {
        u16(2L * index, value);
        return this;
    }
}
