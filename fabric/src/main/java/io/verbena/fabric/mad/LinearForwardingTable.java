package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * One block of the LinearForwardingTable: the output ports of 64 LIDs; the attribute modifier names the block.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.10.
 */
public final class LinearForwardingTable extends Header<LinearForwardingTable> {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The output port of a LID of this block; 255 discards. */
    public int port(int index) {
        return u8(index);
    }

    public LinearForwardingTable port(int index, int value) {
        return u8(index, value);
    }
}
