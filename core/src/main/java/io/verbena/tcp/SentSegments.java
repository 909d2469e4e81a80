package io.verbena.tcp;

import java.util.Arrays;

/**
 * The scoreboard: what was sent and is not acknowledged, one record per segment, in the order of the stream.
 *
 * <p>A record keeps the boundaries with which its segment was first sent, so a retransmission has the same ones. Its flags decide
 * how much of it is in the network (RFC 6675 section 4: "pipe"):
 *
 * <pre>
 *   flags                     counted in the pipe      next
 *   none                      once                     acknowledged, SACKED or LOST
 *   SACKED                    no                       acknowledged
 *   LOST                      no                       sent again
 *   LOST, AGAIN               once: the repetition     acknowledged, SACKED, or LOST once more
 * </pre>
 *
 * <p>A SYN and a FIN are records of length 1. Records are arrays, and none is an object.
 */
final class SentSegments {

    /** Result of searches that find nothing. */
    static final int NONE = -1;

    private static final int FIRST_CAPACITY = 32;
    private static final int SACKED = 1;
    private static final int LOST = 2;
    private static final int AGAIN = 4;
    private static final int EVER = 8;

    private long[] from = new long[FIRST_CAPACITY];
    private long[] to = new long[FIRST_CAPACITY];
    private long[] sentNs = new long[FIRST_CAPACITY];
    private byte[] flags = new byte[FIRST_CAPACITY];
    private int head;
    private int count;
    private long pipe;
    private int waiting;

    /** No record before this index waits to be sent again. */
    private int firstWaiting;

    /** Receives each record that is delivered: acknowledged or selectively acknowledged for the first time. */
    interface Delivery {

        void onDelivered(long from, long to, long sentAtNs, boolean sentOnce);
    }

    private int slot(int index) {
        return (head + index) & from.length - 1;
    }

    int count() {
        return count;
    }

    long from(int index) {
        return from[slot(index)];
    }

    long to(int index) {
        return to[slot(index)];
    }

    long sentNs(int index) {
        return sentNs[slot(index)];
    }

    boolean sacked(int index) {
        return has(index, SACKED);
    }

    /** Whether a record was sent more than once. */
    boolean sentAgain(int index) {
        return has(index, EVER);
    }

    /** Whether a record is regarded as lost and has not been sent again. */
    boolean waits(int index) {
        return awaitsRepetition(flags[slot(index)]);
    }

    private static boolean awaitsRepetition(int flag) {
        return (flag & (SACKED | LOST | AGAIN)) == LOST;
    }

    private boolean has(int index, int flag) {
        return (flags[slot(index)] & flag) != 0;
    }

    /** Bytes in the network (RFC 6675 section 4). */
    long pipe() {
        return pipe;
    }

    /** Whether a record is lost and has to be sent again. */
    boolean anyWaiting() {
        return waiting > 0;
    }

    private static boolean inNetwork(int flag) {
        return (flag & SACKED) == 0 && ((flag & LOST) == 0 || (flag & AGAIN) != 0);
    }

    private void setFlags(int index, int value) {
        int slot = slot(index);
        long length = to[slot] - from[slot];
        int old = flags[slot];
        pipe += (inNetwork(value) ? length : 0) - (inNetwork(old) ? length : 0);
        waiting += (awaitsRepetition(value) ? 1 : 0) - (awaitsRepetition(old) ? 1 : 0);
        if (awaitsRepetition(value)) {
            firstWaiting = Math.min(firstWaiting, index);
        }
        flags[slot] = (byte) value;
    }

    /** A segment was sent for the first time. */
    void add(long first, long last, long nowNs) {
        if (count == from.length) {
            grow();
        }
        int slot = slot(count);
        from[slot] = first;
        to[slot] = last;
        sentNs[slot] = nowNs;
        flags[slot] = 0;
        pipe += last - first;
        count++;
    }

    private void grow() {
        int capacity = from.length;
        from = turned(from, 2 * capacity);
        to = turned(to, 2 * capacity);
        sentNs = turned(sentNs, 2 * capacity);
        byte[] larger = new byte[2 * capacity];
        for (int i = 0; i < count; i++) {
            larger[i] = flags[(head + i) & capacity - 1];
        }
        flags = larger;
        head = 0;
    }

    private long[] turned(long[] ring, int capacity) {
        long[] larger = new long[capacity];
        for (int i = 0; i < count; i++) {
            larger[i] = ring[(head + i) & ring.length - 1];
        }
        return larger;
    }

    /** A record was sent again. */
    void onRepeated(int index, long nowNs) {
        setFlags(index, flags[slot(index)] | AGAIN | EVER);
        sentNs[slot(index)] = nowNs;
    }

    /** The first record that waits to be sent again, or {@link #NONE}. */
    int nextWaiting() {
        if (waiting == 0) {
            return NONE;
        }
        while (!waits(firstWaiting)) {
            firstWaiting++;
        }
        return firstWaiting;
    }

    /** The last record that is not selectively acknowledged, or {@link #NONE}. */
    int lastOutstanding() {
        int index = count - 1;
        while (index >= 0 && has(index, SACKED)) {
            index--;
        }
        return index;
    }

    /** Regards a record as lost. */
    void lose(int index) {
        int flag = flags[slot(index)];
        if ((flag & SACKED) == 0) {
            setFlags(index, (flag | LOST) & ~AGAIN);
        }
    }

    /**
     * Regards all records as lost, after a timeout. If the first one is selectively acknowledged, the peer has discarded what it
     * reported, and its reports are forgotten (RFC 2018 section 8).
     */
    void loseAll() {
        boolean reneged = count > 0 && has(0, SACKED);
        for (int i = 0; i < count; i++) {
            if (reneged) {
                setFlags(i, flags[slot(i)] & ~SACKED);
            }
            lose(i);
        }
    }

    /** Everything before {@code upTo} is acknowledged. */
    void acknowledge(long upTo, Delivery sink) {
        int gone = 0;
        while (gone < count && to(gone) <= upTo) {
            if (!has(gone, SACKED)) {
                deliver(gone, sink);
            }
            setFlags(gone, SACKED);
            gone++;
        }
        head = slot(gone);
        count -= gone;
        firstWaiting = Math.max(0, firstWaiting - gone);
        if (count > 0 && from(0) < upTo) {
            if (inNetwork(flags[slot(0)])) {
                pipe -= upTo - from(0);
            }
            from[slot(0)] = upTo;
        }
    }

    /** A range was selectively acknowledged: marks the records that lie in it completely. */
    void select(long first, long last, Delivery sink) {
        for (int i = indexAt(first); i < count && to(i) <= last; i++) {
            if (from(i) >= first && !has(i, SACKED)) {
                deliver(i, sink);
                setFlags(i, flags[slot(i)] | SACKED);
            }
        }
    }

    private void deliver(int index, Delivery sink) {
        sink.onDelivered(from(index), to(index), sentNs(index), !has(index, EVER));
    }

    /** The first record that ends after a number. */
    private int indexAt(long at) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to(middle) <= at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Cuts records that are longer than the path permits now, where the buffer would cut them. The parts are regarded as lost: a
     * router has discarded them.
     */
    void cut(SendBuffer buffer, int most) {
        SentSegments parts = new SentSegments();
        for (int i = 0; i < count; i++) {
            long last = to(i);
            boolean whole = last - from(i) <= most || has(i, SACKED);
            for (long first = from(i); first < last; ) {
                long end = whole ? last : Math.min(last, buffer.segmentEnd(first, most));
                parts.add(first, end, sentNs(i));
                int flag = flags[slot(i)];
                parts.setFlags(parts.count - 1, whole ? flag : (flag | LOST | EVER) & ~AGAIN);
                first = end;
            }
        }
        from = parts.from;
        to = parts.to;
        sentNs = parts.sentNs;
        flags = parts.flags;
        head = parts.head;
        count = parts.count;
        pipe = parts.pipe;
        waiting = parts.waiting;
        firstWaiting = parts.firstWaiting;
    }

    /** Forgets everything. */
    void clear() {
        Arrays.fill(flags, (byte) 0);
        count = 0;
        pipe = 0;
        waiting = 0;
        firstWaiting = 0;
    }
}
