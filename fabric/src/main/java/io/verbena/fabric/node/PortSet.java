package io.verbena.fabric.node;

/** Sets of the ports of a switch, as bits in a part of an array of longs: bit 0 is the first port. */
final class PortSet {

    private PortSet() {}

    /** Number of longs that a set of a number of ports takes. */
    static int words(int ports) {
        return ports + Long.SIZE - 1 >> 6;
    }

    /** The first element from {@code from} on; -1 if there is none. */
    static int next(long[] set, int at, int words, int from) {
        int word = from >> 6;
        if (word >= words) {
            return -1;
        }
        long bits = set[at + word] & -1L << from;
        while (bits == 0) {
            if (++word == words) {
                return -1;
            }
            bits = set[at + word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(bits);
    }

    /** The first element from {@code from} on, or else the first of all; -1 if the set is empty. */
    static int cyclic(long[] set, int at, int words, int from) {
        int next = next(set, at, words, from);
        return next < 0 && from > 0 ? next(set, at, words, 0) : next;
    }

    static void add(long[] set, int at, int element) {
        set[at + (element >> 6)] |= 1L << element;
    }

    static void remove(long[] set, int at, int element) {
        set[at + (element >> 6)] &= ~(1L << element);
    }

    static boolean contains(long[] set, int at, int element) {
        return (set[at + (element >> 6)] >> element & 1) != 0;
    }

    static boolean isEmpty(long[] set, int at, int words) {
        for (int i = 0; i < words; i++) {
            if (set[at + i] != 0) {
                return false;
            }
        }
        return true;
    }

    static int size(long[] set, int at, int words) {
        int size = 0;
        for (int i = 0; i < words; i++) {
            size += Long.bitCount(set[at + i]);
        }
        return size;
    }
}
