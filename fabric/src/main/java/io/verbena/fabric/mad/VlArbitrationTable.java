package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * Half of a VLArbitrationTable: entries that are served in turn.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.9.
 */
public final class VlArbitrationTable extends Header<VlArbitrationTable> {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The virtual lane of an entry. */
    public int vl(int index) {
        return bits(2L * index, 4, 4);
    }

    public VlArbitrationTable vl(int index, int value) {
        return bits(2L * index, 4, 4, value);
    }

    /** The weight of an entry in units of 64 bytes; 0 skips it. */
    public int weight(int index) {
        return u8(2L * index + 1);
    }

    public VlArbitrationTable weight(int index, int value) {
        return u8(2L * index + 1, value);
    }
}
