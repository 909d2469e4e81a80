package io.verbena.storage.wire;

/** Offsets and fields of a controller's properties: CAP, VS, CC, CSTS. */
public final class Registers {
    /** Controller Capabilities, 8 bytes. */
    public static final int CAP = 0x00;

    /** Version, 4 bytes. */
    public static final int VS = 0x08;

    /** Controller Configuration, 4 bytes. */
    public static final int CC = 0x14;

    /** Controller Status, 4 bytes. */
    public static final int CSTS = 0x1c;

    /** CC.EN. */
    public static final int ENABLE = 1;

    /** CSTS.RDY. */
    public static final int READY = 1;

    /** CSTS.CFS: a fatal error. */
    public static final int FATAL = 2;

    /** CSTS.SHST: a shutdown is under way. */
    public static final int SHUTTING_DOWN = 1 << 2;

    /** CSTS.SHST: a shutdown is complete. */
    public static final int SHUTDOWN_COMPLETE = 2 << 2;

    /** CSTS.SHST. */
    public static final int SHUTDOWN_MASK = 3 << 2;

    private static final int ENTRY_SIZES = 0x46;

    private Registers() {}

    /** CAP: queues are contiguous, entries of {@code maxEntries}, the NVM command set, pages of 4 KiB. */
    public static long capabilities(int maxEntries, int readyWithin500Ms) {
        return (maxEntries - 1) | 1L << 16 | (long) readyWithin500Ms << 24 | 1L << 37;
    }

    /** Whether CC.SHN asks for a shutdown. */
    public static boolean shutdown(int configuration) {
        return (configuration >>> 14 & 3) != 0;
    }

    /** Whether CC enables the controller. */
    public static boolean enable(int configuration) {
        return (configuration & ENABLE) != 0;
    }

    /** Whether CC states entries of 64 and 16 bytes, the NVM command set, and pages of 4 KiB. */
    public static boolean supported(int configuration) {
        return (configuration >>> 16 & 0xff) == ENTRY_SIZES && (configuration & 0x7f0) == 0;
    }
}
