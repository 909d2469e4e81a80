package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.1.
 */
public final class SmpHeader extends Header<SmpHeader> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** D: 0 from the manager, 1 back to it; directed-route SMPs only. */
    public boolean direction() {
        return flag(4, 0);
    }

    public SmpHeader direction(boolean value) {
        return flag(4, 0, value);
    }

    /** HopPointer: the number of hops done; directed-route SMPs only. */
    public int hopPointer() {
        return u8(6);
    }

    public SmpHeader hopPointer(int value) {
        return u8(6, value);
    }

    /** HopCount: the number of hops of the path; directed-route SMPs only. */
    public int hopCount() {
        return u8(7);
    }

    public SmpHeader hopCount(int value) {
        return u8(7, value);
    }

    /** M_Key. */
    public long mKey() {
        return u64(24);
    }

    public SmpHeader mKey(long value) {
        return u64(24, value);
    }

    /** DrSLID: 0xFFFF if the path starts at the sender. */
    public int drSlid() {
        return u16(32);
    }

    public SmpHeader drSlid(int value) {
        return u16(32, value);
    }

    /** DrDLID: 0xFFFF if the path ends at the receiver. */
    public int drDlid() {
        return u16(34);
    }

    public SmpHeader drDlid(int value) {
        return u16(34, value);
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

    public SmpHeader initialPath(int hop, int port) {
        return u8(INITIAL_PATH + hop, port);
    }

    /** ReturnPath: the port by which the packet arrived at hop number {@code hop}. */
    public int returnPath(int hop) {
        return u8(RETURN_PATH + hop);
    }

    public SmpHeader returnPath(int hop, int port) {
        return u8(RETURN_PATH + hop, port);
    }
}
