package io.verbena.tcp.segment;

import java.util.Arrays;

/** A bounded set of disjoint ranges of sequence numbers, in order. Allocates only when it grows. */
public final class RangeSet {

    private static final int FIRST_CAPACITY = 8;

    private final int most;
    private long[] from = new long[FIRST_CAPACITY];
    private long[] to = new long[FIRST_CAPACITY];
    private int count;

    /** Creates an empty set of at most this many ranges. */
    public RangeSet(int most) {
        this.most = most;
    }

    public int count() {
        return count;
    }

    public long from(int index) {
        return from[index];
    }

    public long to(int index) {
        return to[index];
    }

    public void clear() {
        count = 0;
    }

    /** The number of ranges that end before a number: the index of the first range that contains or follows it. */
    private int below(long at) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to[middle] < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Adds a range and merges it with its neighbours; returns false, without a change, if the set would be too large. */
    public boolean add(long first, long last) {
        if (first >= last) {
            return true;
        }
        int begin = below(first);
        int end = begin;
        long newFrom = first;
        long newTo = last;
        while (end < count && from[end] <= last) {
            newFrom = Math.min(newFrom, from[end]);
            newTo = Math.max(newTo, to[end]);
            end++;
        }
        if (end == begin && count >= most) {
            return false;
        }
        replace(begin, end, newFrom, newTo);
        return true;
    }

    private void replace(int begin, int end, long newFrom, long newTo) {
        int newCount = count - (end - begin) + 1;
        if (newCount > from.length) {
            from = Arrays.copyOf(from, 2 * from.length);
            to = Arrays.copyOf(to, 2 * to.length);
        }
        System.arraycopy(from, end, from, begin + 1, count - end);
        System.arraycopy(to, end, to, begin + 1, count - end);
        from[begin] = newFrom;
        to[begin] = newTo;
        count = newCount;
    }

    /** Whether {@link #add} would accept a range. */
    public boolean accepts(long first, long last) {
        int begin = below(first);
        return count < most || begin < count && from[begin] <= last;
    }

    /** The index of the range that contains a number, or -1. */
    public int indexOf(long at) {
        int index = below(at + 1);
        return index < count && from[index] <= at ? index : -1;
    }

    /** The first number from {@code at} on that is not in the set. */
    public long firstMissing(long at) {
        int index = indexOf(at);
        return index < 0 ? at : to[index];
    }

    /** The first number from {@code at} on that is in the set; {@code limit} if there is none before it. */
    public long firstPresent(long at, long limit) {
        int index = below(at + 1);
        return index == count ? limit : Math.min(limit, Math.max(at, from[index]));
    }

    /** Removes a range. A range of the set may become two, also if the set is full. */
    public void remove(long first, long last) {
        for (int i = below(first + 1); i < count && from[i] < last; ) {
            long begin = from[i];
            long end = to[i];
            System.arraycopy(from, i + 1, from, i, count - i - 1);
            System.arraycopy(to, i + 1, to, i, count - i - 1);
            count--;
            if (begin < first) {
                replace(i, i, begin, first);
                i++;
            }
            if (end > last) {
                replace(i, i, last, end);
                i++;
            }
        }
    }

    /** Removes all numbers before {@code at}. */
    public void removeBefore(long at) {
        int gone = 0;
        while (gone < count && to[gone] <= at) {
            gone++;
        }
        if (gone > 0) {
            System.arraycopy(from, gone, from, 0, count - gone);
            System.arraycopy(to, gone, to, 0, count - gone);
            count -= gone;
        }
        if (count > 0) {
            from[0] = Math.max(from[0], at);
        }
    }
}
