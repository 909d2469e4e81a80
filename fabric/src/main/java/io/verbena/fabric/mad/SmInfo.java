package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.5.13.
 */
public final class SmInfo extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 21;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public SmInfo wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** GUID of the port of the manager. */
    public long guid() {
        return u64(0);
    }

    /** Writes guid. */
    public SmInfo guid(long value) {
        u64(0, value);
        return this;
    }

    /** SM_Key. */
    public long smKey() {
        return u64(8);
    }

    /** Writes smKey. */
    public SmInfo smKey(long value) {
        u64(8, value);
        return this;
    }

    /** ActCount: counts its activity. */
    public int actCount() {
        return u32(16);
    }

    /** Writes actCount. */
    public SmInfo actCount(int value) {
        u32(16, value);
        return this;
    }

    /** Priority. */
    public int priority() {
        return bits(160, 4);
    }

    /** Writes priority. */
    public SmInfo priority(int value) {
        bits(160, 4, value);
        return this;
    }

    /** SMState: 3 is master. */
    public int smState() {
        return bits(164, 4);
    }

    /** Writes smState. */
    public SmInfo smState(int value) {
        bits(164, 4, value);
        return this;
    }
}
