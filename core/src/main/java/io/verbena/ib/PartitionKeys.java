package io.verbena.ib;

/**
 * Partition keys: 15 bits of number, and the highest bit for a full member. Two match if their numbers are the same and not 0
 * and at least one of them is a full member's (InfiniBand architecture specification, volume 1, section 10.9.3).
 */
public final class PartitionKeys {

    private static final int NUMBER = 0x7fff;
    private static final int FULL = 0x8000;

    private PartitionKeys() {}

    /** Whether members with these keys may talk to each other. */
    public static boolean match(int one, int other) {
        int number = one & NUMBER;
        return number != 0 && number == (other & NUMBER) && ((one | other) & FULL) != 0;
    }
}
