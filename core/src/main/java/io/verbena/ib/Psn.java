package io.verbena.ib;

/**
 * Packet sequence numbers: 24 bits that wrap. Half of them are ahead of any number and half behind it
 * (InfiniBand architecture specification, volume 1, section 9.7.2).
 */
public final class Psn {

    /** Bits that a number has. */
    public static final int MASK = 0xff_ffff;

    private static final int UNUSED_BITS = Integer.SIZE - 24;

    private Psn() {}

    /** The number {@code count} packets behind another one. */
    public static int plus(int psn, int count) {
        return psn + count & MASK;
    }

    /** How far {@code psn} is ahead of {@code other}: -2^23 to 2^23 - 1, negative if it is behind. */
    public static int distance(int psn, int other) {
        return (psn - other << UNUSED_BITS) >> UNUSED_BITS;
    }
}
