package io.verbena.tcp;

import io.verbena.base.Slab;

/**
 * Data in order that the owner has not taken yet and that is still in the memory of the carrier, which lends it until {@link
 * TcpHost#settle}. An owner that takes it before that saves a copy into the receive ring.
 *
 * <pre>
 *   lent slab   | header | data 0 | header | data 1 | ...
 * </pre>
 */
final class LentSegments {

    private static final int MOST = 512;

    private final long[] to = new long[MOST];
    private final int[] offset = new int[MOST];
    private Slab slab = NOTHING;
    private long from;
    private int first;
    private int count;

    private static final Slab NOTHING = new Slab(1);

    boolean any() {
        return count > first;
    }

    /** The first sequence number; only if there is {@link #any}. */
    long from() {
        return from;
    }

    /** The end of the first segment. */
    long to() {
        return to[first];
    }

    Slab slab() {
        return slab;
    }

    /** Position of the first byte in the slab. */
    int position() {
        return offset[first];
    }

    /** Appends data that continues what is there; returns false if there is no space for it. */
    @SuppressWarnings("ReferenceEquality") // one carrier lends one slab
    boolean add(long at, long end, Slab memory, int position) {
        if (count == MOST || any() && slab != memory) {
            return false;
        }
        if (!any()) {
            clear();
            slab = memory;
            from = at;
        }
        to[count] = end;
        offset[count] = position;
        count++;
        return true;
    }

    /** Forgets what lies before a sequence number. */
    void advance(long upTo) {
        while (any() && to[first] <= upTo) {
            from = to[first];
            first++;
        }
        if (any() && from < upTo) {
            offset[first] += (int) (upTo - from);
            from = upTo;
        }
    }

    void clear() {
        first = 0;
        count = 0;
        slab = NOTHING;
    }
}
