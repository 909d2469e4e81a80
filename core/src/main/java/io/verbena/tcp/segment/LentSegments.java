package io.verbena.tcp.segment;

import io.verbena.base.Slab;
import io.verbena.tcp.TcpHost;
import java.util.Arrays;

/**
 * Data that has arrived and is still in the memory of the carrier, which lends it until {@link TcpHost#settle}: disjoint ranges of
 * sequence numbers, in order, whatever came before them. An owner that takes a range before that saves a copy into the receive ring.
 *
 * <pre>
 *   lent slab   | header | data 2 | header | data 0 | header | data 3 | ...      in the order of arrival
 *   ranges      0, 2, 3                                                           in the order of the stream
 * </pre>
 */
public final class LentSegments {

    private static final int FIRST_CAPACITY = 16;
    private static final int MOST = 512;
    private static final Slab NOTHING = new Slab(1);

    private long[] from = new long[FIRST_CAPACITY];
    private long[] to = new long[FIRST_CAPACITY];
    private int[] position = new int[FIRST_CAPACITY];
    private Slab slab = NOTHING;
    private int count;

    public int count() {
        return count;
    }

    public long from(int index) {
        return from[index];
    }

    public long to(int index) {
        return to[index];
    }

    /** Position of the first byte of a range in the slab. */
    public int position(int index) {
        return position[index];
    }

    public Slab slab() {
        return slab;
    }

    /** Adds a range that overlaps none; returns false if there is no space for it. */
    @SuppressWarnings("ReferenceEquality") // one carrier lends one slab
    public boolean add(long first, long last, Slab memory, int at) {
        if (count == MOST || count > 0 && slab != memory) {
            return false;
        }
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            to = Arrays.copyOf(to, 2 * count);
            position = Arrays.copyOf(position, 2 * count);
        }
        slab = memory;
        int index = below(first);
        System.arraycopy(from, index, from, index + 1, count - index);
        System.arraycopy(to, index, to, index + 1, count - index);
        System.arraycopy(position, index, position, index + 1, count - index);
        from[index] = first;
        to[index] = last;
        position[index] = at;
        count++;
        return true;
    }

    /** The number of ranges that end at or before a number: the index of the first range that contains or follows it. */
    public int below(long at) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to[middle] <= at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public void clear() {
        count = 0;
        slab = NOTHING;
    }
}
