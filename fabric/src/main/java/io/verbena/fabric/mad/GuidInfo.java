package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * One block of GUIDInfo: GUIDs of a port, each the lower half of an IPv6 address.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.5.
 */
public final class GuidInfo extends Header<GuidInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 8;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** A GUID; 0 if unused. */
    public long guid(int index) {
        return u64(8L * index);
    }

    public GuidInfo guid(int index, long value) {
        return u64(8L * index, value);
    }
}
