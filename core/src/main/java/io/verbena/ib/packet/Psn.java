package io.verbena.ib.packet;

/**
 * Packet sequence numbers: 24 bits that wrap. Half of the numbers are ahead of a given number, the other half are
 * behind it (InfiniBand architecture specification, volume 1, section 9.7.2).
 */
public final class Psn {

    /** Mask of the bits of a number. */
    public static final int MASK = 0xff_ffff;

    private static final int UNUSED_BITS = Integer.SIZE - 24;

    private Psn() {}

    /** The number {@code count} packets after {@code psn}. */
    public static int plus(int psn, int count) {
        return psn + count & MASK;
    }

    /** Distance from {@code other} to {@code psn}: -2^23 to 2^23 - 1, negative if {@code psn} is behind. */
    public static int distance(int psn, int other) {
        return (psn - other << UNUSED_BITS) >> UNUSED_BITS;
    }
}
