package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * One block of the MulticastForwardingTable: 16 of the output ports of 32 multicast LIDs. The attribute modifier names the block and, in its upper four bits, which 16 ports.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.12.
 */
public final class MulticastForwardingTable extends Header<MulticastForwardingTable> {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** A bit for each of 16 output ports. */
    public int mask(int index) {
        return u16(2L * index);
    }

    public MulticastForwardingTable mask(int index, int value) {
        return u16(2L * index, value);
    }
}
