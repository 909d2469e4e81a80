package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * SLtoVLMappingTable: the virtual lane of each service level, for one pair of input and output port.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.8.
 */
public final class SlToVlMappingTable extends Header<SlToVlMappingTable> {
    /** Length in bytes. */
    public static final int LENGTH = 8;
    /** Number of entries. */
    public static final int ENTRIES = 16;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The virtual lane of a service level; 15 discards. */
    public int vl(int index) {
        return bits(index >> 1, 4 * (index & 1), 4);
    }

    public SlToVlMappingTable vl(int index, int value) {
        return bits(index >> 1, 4 * (index & 1), 4, value);
    }
}
