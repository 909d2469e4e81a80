package io.verbena.tcp.receive;

/** Ranges of bytes after a hole that have not been offered to the owner, in the order of their arrival. */
final class OfferQueue {

    private static final int MOST = 256;

    private final long[] from = new long[MOST];
    private final long[] to = new long[MOST];
    private int first;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** Appends a range; a range that continues the last one becomes part of it. Returns false if there is no space. */
    boolean add(long begin, long end) {
        int last = (first + count - 1) % MOST;
        if (count > 0 && to[last] == begin) {
            to[last] = end;
            return true;
        }
        if (count == MOST) {
            return false;
        }
        int slot = (first + count) % MOST;
        from[slot] = begin;
        to[slot] = end;
        count++;
        return true;
    }

    /** Start of the first range. */
    long from() {
        return from[first];
    }

    /** End of the first range. */
    long to() {
        return to[first];
    }

    /** The first range was offered up to this number. */
    void offered(long upTo) {
        if (upTo < to[first]) {
            from[first] = upTo;
        } else {
            first = (first + 1) % MOST;
            count--;
        }
    }

    void clear() {
        count = 0;
    }
}
