package io.verbena.wire;

/**
 * The DDP control byte, the first byte of every DDP segment, as pure functions of its value.
 *
 * <pre>
 *   0 1 2 3 4 5 6 7
 *  +-+-+-+-+-+-+-+-+
 *  |T|L| Rsvd  | DV|
 *  +-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 5041 section 4.1.
 */
public final class DdpControl {
    /** Bytes. */
    public static final int LENGTH = 1;
    /** The only DDP version: 1. */
    public static final int VERSION = 1;

    private static final int T = 0x80;
    private static final int L = 0x40;
    private static final int RSVD_SHIFT = 2;
    private static final int RSVD_MASK = 0xf;
    private static final int DV_MASK = 0x3;

    private DdpControl() {}

    /** The control byte (0 to 255) of a version 1 segment; reserved bits are zero. */
    public static int of(boolean tagged, boolean last) {
        // RFC 5041 section 4.1 [9, 10]: the sender clears the reserved bits and sets the version to 1.
        return (tagged ? T : 0) | (last ? L : 0) | VERSION;
    }

    /** T: the segment goes to a tagged buffer. */
    public static boolean t(int control) {
        return (control & T) != 0;
    }

    /** L: the segment is the last one of its message. */
    public static boolean l(int control) {
        return (control & L) != 0;
    }

    /** Rsvd: four reserved bits; receivers ignore them. */
    public static int rsvd(int control) {
        return control >> RSVD_SHIFT & RSVD_MASK;
    }

    /** DV: the DDP version, 0 to 3. */
    public static int dv(int control) {
        return control & DV_MASK;
    }

    /** The byte with T changed. */
    public static int t(int control, boolean value) {
        return value ? control | T : control & ~T;
    }

    /** The byte with L changed. */
    public static int l(int control, boolean value) {
        return value ? control | L : control & ~L;
    }

    /** The byte with DV changed to {@code value} (0 to 3). */
    public static int dv(int control, int value) {
        return control & ~DV_MASK | value & DV_MASK;
    }
}
