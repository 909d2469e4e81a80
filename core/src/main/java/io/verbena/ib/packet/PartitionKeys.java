package io.verbena.ib.packet;

/**
 * Partition keys: a 15-bit number, and the highest bit for full membership. Two keys match if their numbers are equal
 * and not 0 and at least one has full membership (InfiniBand architecture specification, volume 1, section 10.9.3).
 */
public final class PartitionKeys {

    private static final int NUMBER = 0x7fff;
    private static final int FULL = 0x8000;

    private PartitionKeys() {}

    /** Whether members with these keys may communicate. */
    public static boolean match(int one, int other) {
        int number = one & NUMBER;
        return number != 0 && number == (other & NUMBER) && ((one | other) & FULL) != 0;
    }
}
