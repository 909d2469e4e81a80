package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * ClassPortInfo: what a management class can do.
 *
 * <pre>
 *    byte bits  field
 *       0    8  baseVersion
 *       1    8  classVersion
 *       2   16  capabilityMask
 *     7.3    5  respTimeValue
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 13.4.8.1.
 */
public final class ClassPortInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 72;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public ClassPortInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return u8(0);
    }

    /** Writes baseVersion. */
    public ClassPortInfo baseVersion(int value) {
        u8(0, value);
        return this;
    }

    /** ClassVersion. */
    public int classVersion() {
        return u8(1);
    }

    /** Writes classVersion. */
    public ClassPortInfo classVersion(int value) {
        u8(1, value);
        return this;
    }

    /** CapabilityMask. */
    public int capabilityMask() {
        return u16(2);
    }

    /** Writes capabilityMask. */
    public ClassPortInfo capabilityMask(int value) {
        u16(2, value);
        return this;
    }

    /** RespTimeValue: 4.096 us * 2^value. */
    public int respTimeValue() {
        return bits(59, 5);
    }

    /** Writes respTimeValue. */
    public ClassPortInfo respTimeValue(int value) {
        bits(59, 5, value);
        return this;
    }
}
