package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * One block of the P_KeyTable; the attribute modifier names the block.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.7.
 */
public final class PkeyTable extends Header<PkeyTable> {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 32;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** A P_Key: bit 15 for full membership, and 15 bits of the partition. */
    public int pKey(int index) {
        return u16(2L * index);
    }

    public PkeyTable pKey(int index, int value) {
        return u16(2L * index, value);
    }
}
