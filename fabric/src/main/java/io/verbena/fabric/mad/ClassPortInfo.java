package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 13.4.8.1.
 */
public final class ClassPortInfo extends Header<ClassPortInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 72;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return u8(0);
    }

    public ClassPortInfo baseVersion(int value) {
        return u8(0, value);
    }

    /** ClassVersion. */
    public int classVersion() {
        return u8(1);
    }

    public ClassPortInfo classVersion(int value) {
        return u8(1, value);
    }

    /** CapabilityMask. */
    public int capabilityMask() {
        return u16(2);
    }

    public ClassPortInfo capabilityMask(int value) {
        return u16(2, value);
    }

    /** RespTimeValue: 4.096 us * 2^value. */
    public int respTimeValue() {
        return bits(7, 3, 5);
    }

    public ClassPortInfo respTimeValue(int value) {
        return bits(7, 3, 5, value);
    }
}
