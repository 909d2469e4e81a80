package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * One block of GUIDInfo: GUIDs of a port, each the lower half of an IPv6 address.
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.5.
 */
public final class GuidInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;
    /** Number of entries. */
    public static final int ENTRIES = 8;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public GuidInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** A GUID; 0 if unused. */
    public long guid(int index) {
        return u64(8L * index);
    }

    /** Writes it. */
    public GuidInfo guid(int index, long value) {
        u64(8L * index, value);
        return this;
    }
}
