package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * The header of a subnet management packet (SMP), LID-routed or directed. It starts at the common header of MADs.
 *
 * <pre>
 *    byte bits  field
 *       4    1  direction
 *       6    8  hopPointer
 *       7    8  hopCount
 *      24   64  mKey
 *      32   16  drSlid
 *      34   16  drDlid
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 14.2.1.
 */
public final class SmpHeader extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public SmpHeader wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** D: 0 from the manager, 1 back to it; directed-route SMPs only. */
    public boolean direction() {
        return bits(32, 1) != 0;
    }

    /** Writes direction. */
    public SmpHeader direction(boolean value) {
        bits(32, 1, value ? 1 : 0);
        return this;
    }

    /** HopPointer: the number of hops done; directed-route SMPs only. */
    public int hopPointer() {
        return u8(6);
    }

    /** Writes hopPointer. */
    public SmpHeader hopPointer(int value) {
        u8(6, value);
        return this;
    }

    /** HopCount: the number of hops of the path; directed-route SMPs only. */
    public int hopCount() {
        return u8(7);
    }

    /** Writes hopCount. */
    public SmpHeader hopCount(int value) {
        u8(7, value);
        return this;
    }

    /** M_Key. */
    public long mKey() {
        return u64(24);
    }

    /** Writes mKey. */
    public SmpHeader mKey(long value) {
        u64(24, value);
        return this;
    }

    /** DrSLID: 0xFFFF if the path starts at the sender. */
    public int drSlid() {
        return u16(32);
    }

    /** Writes drSlid. */
    public SmpHeader drSlid(int value) {
        u16(32, value);
        return this;
    }

    /** DrDLID: 0xFFFF if the path ends at the receiver. */
    public int drDlid() {
        return u16(34);
    }

    /** Writes drDlid. */
    public SmpHeader drDlid(int value) {
        u16(34, value);
        return this;
    }

    /** Offset of the attribute in the MAD. */
    public static final int DATA = 64;
    /** Length of the attribute. */
    public static final int DATA_LENGTH = 64;
    /** Length of every MAD. */
    public static final int MAD_LENGTH = 256;
    /** Maximum number of hops. */
    public static final int MOST_HOPS = 63;
    /** The LID that stands for none in DrSLID and DrDLID. */
    public static final int PERMISSIVE = 0xffff;

    private static final int INITIAL_PATH = 128;
    private static final int RETURN_PATH = 192;

    /** InitialPath: the port by which the packet leaves after {@code hop - 1} hops; hops count from 1. */
    public int initialPath(int hop) {
        return u8(INITIAL_PATH + hop);
    }

    /** Writes a byte of initialPath. */
    public SmpHeader initialPath(int hop, int port) {
        u8(INITIAL_PATH + hop, port);
        return this;
    }

    /** ReturnPath: the port by which the packet arrived at hop number {@code hop}. */
    public int returnPath(int hop) {
        return u8(RETURN_PATH + hop);
    }

    /** Writes a byte of returnPath. */
    public SmpHeader returnPath(int hop, int port) {
        u8(RETURN_PATH + hop, port);
        return this;
    }
}
