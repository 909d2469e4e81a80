package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * SMInfo: a subnet manager.
 *
 * <pre>
 *    byte bits  field
 *       0   64  guid
 *       8   64  smKey
 *      16   32  actCount
 *      20    4  priority
 *    20.4    4  smState
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.13.
 */
public final class SmInfo extends Header<SmInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 21;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** GUID of the port of the manager. */
    public long guid() {
        return u64(0);
    }

    public SmInfo guid(long value) {
        return u64(0, value);
    }

    /** SM_Key. */
    public long smKey() {
        return u64(8);
    }

    public SmInfo smKey(long value) {
        return u64(8, value);
    }

    /** ActCount: counts its activity. */
    public int actCount() {
        return u32(16);
    }

    public SmInfo actCount(int value) {
        return u32(16, value);
    }

    /** Priority. */
    public int priority() {
        return bits(20, 0, 4);
    }

    public SmInfo priority(int value) {
        return bits(20, 0, 4, value);
    }

    /** SMState: 3 is master. */
    public int smState() {
        return bits(20, 4, 4);
    }

    public SmInfo smState(int value) {
        return bits(20, 4, 4, value);
    }
}
