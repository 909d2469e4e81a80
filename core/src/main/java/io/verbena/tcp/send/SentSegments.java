package io.verbena.tcp.send;

import io.verbena.tcp.segment.RangeSet;
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
 * <p>The records in the network are also linked in the order in which they were sent last, so that loss detection by time visits
 * only those that it changes (RFC 8985 section 6.2, step 5).
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

    /** Slots of the neighbours in the order of transmission. */
    private int[] older = new int[FIRST_CAPACITY];

    private int[] newer = new int[FIRST_CAPACITY];
    private int oldest = NONE;
    private int newest = NONE;

    /** What was selectively acknowledged, in whole records. */
    private final RangeSet reported = new RangeSet(Integer.MAX_VALUE);

    /** The end of the record that has both data and the FIN. */
    private long finEnd = Long.MAX_VALUE;

    private long sackedBytes;
    private long visits;

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
        if (inNetwork(old) != inNetwork(value)) {
            if (inNetwork(value)) {
                link(slot);
            } else {
                unlink(slot);
            }
        }
        sackedBytes += ((value & SACKED) != 0 ? length : 0) - ((old & SACKED) != 0 ? length : 0);
        pipe += (inNetwork(value) ? length : 0) - (inNetwork(old) ? length : 0);
        waiting += (awaitsRepetition(value) ? 1 : 0) - (awaitsRepetition(old) ? 1 : 0);
        if (awaitsRepetition(value)) {
            firstWaiting = Math.min(firstWaiting, index);
        }
        flags[slot] = (byte) value;
    }

    /** Inserts a record after those that were sent before it. New transmissions are the newest ones. */
    private void link(int slot) {
        int before = newest;
        while (before != NONE && sentNs[before] - sentNs[slot] > 0) {
            visits++;
            before = older[before];
        }
        int after = before == NONE ? oldest : newer[before];
        older[slot] = before;
        newer[slot] = after;
        join(before, slot);
        join(slot, after);
    }

    private void unlink(int slot) {
        join(older[slot], newer[slot]);
    }

    private void join(int before, int after) {
        if (before == NONE) {
            oldest = after;
        } else {
            newer[before] = after;
        }
        if (after == NONE) {
            newest = before;
        } else {
            older[after] = before;
        }
    }

    /** The record in the network that was sent first, or {@link #NONE}. */
    int oldest() {
        visits++;
        return oldest == NONE ? NONE : (oldest - head) & from.length - 1;
    }

    /** Bytes that are selectively acknowledged. */
    long sackedBytes() {
        return sackedBytes;
    }

    /** Number of records that were visited so far, except by acknowledgment of each; a measure of cost. */
    long visits() {
        return visits;
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
        link(slot);
        pipe += last - first;
        count++;
    }

    /** The segment that was sent last has the FIN after its data. */
    void lastHasFin() {
        finEnd = to(count - 1);
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
        older = turnedLinks(older, 2 * capacity);
        newer = turnedLinks(newer, 2 * capacity);
        oldest = turnedLink(oldest, capacity);
        newest = turnedLink(newest, capacity);
        head = 0;
    }

    private int turnedLink(int slot, int capacity) {
        return slot == NONE ? NONE : (slot - head) & capacity - 1;
    }

    private int[] turnedLinks(int[] links, int capacity) {
        int[] larger = new int[capacity];
        for (int i = 0; i < count; i++) {
            larger[i] = turnedLink(links[(head + i) & links.length - 1], links.length);
        }
        return larger;
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
        int slot = slot(index);
        if (inNetwork(flags[slot])) {
            unlink(slot);
            sentNs[slot] = nowNs;
            link(slot);
        }
        sentNs[slot] = nowNs;
        setFlags(index, flags[slot] | AGAIN | EVER);
    }

    /** The first record that waits to be sent again, or {@link #NONE}. */
    int nextWaiting() {
        if (waiting == 0) {
            return NONE;
        }
        while (!waits(firstWaiting)) {
            visits++;
            firstWaiting++;
        }
        return firstWaiting;
    }

    /** The last record that begins before a number and is not selectively acknowledged, or {@link #NONE}. */
    int lastOutstanding(long limit) {
        int index = count - 1;
        while (index >= 0 && (has(index, SACKED) || from(index) >= limit)) {
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
        if (reneged) {
            reported.clear();
        }
    }

    /** The peer has discarded the first records, which it had reported, as far as they are consecutive and begin before a number. */
    void discarded(long limit) {
        for (int i = 0; i < count && has(i, SACKED) && from(i) < limit; i++) {
            reported.remove(from(i), to(i));
            setFlags(i, flags[slot(i)] & ~SACKED | EVER);
            lose(i);
        }
    }

    /** What waits to be sent again was not lost after all: the timeout was spurious. */
    void findAgain() {
        for (int i = 0; i < count; i++) {
            if (waits(i)) {
                setFlags(i, flags[slot(i)] & ~LOST);
            }
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
            sackedBytes -= to(gone) - from(gone);
            gone++;
        }
        reported.removeBefore(upTo);
        head = slot(gone);
        count -= gone;
        firstWaiting = Math.max(0, firstWaiting - gone);
        if (count > 0 && from(0) < upTo) {
            if (inNetwork(flags[slot(0)])) {
                pipe -= upTo - from(0);
            }
            if (sacked(0)) {
                sackedBytes -= upTo - from(0);
            }
            from[slot(0)] = upTo;
        }
    }

    /** A range was selectively acknowledged: marks the records that lie in it completely. */
    void select(long first, long last, Delivery sink) {
        long at = first;
        while (at < last) {
            long begin = reported.firstMissing(at);
            long end = reported.firstPresent(begin, last);
            if (begin < end) {
                selectNew(begin, end, sink);
            }
            at = Math.max(begin, end);
        }
    }

    /** The same for a range of which nothing was reported before. */
    private void selectNew(long first, long last, Delivery sink) {
        int begin = indexAt(first);
        if (begin < count && from(begin) < first) {
            begin++;
        }
        int end = begin;
        while (end < count && inBlock(end, last)) {
            visits++;
            deliver(end, sink);
            setFlags(end, flags[slot(end)] | SACKED);
            end++;
        }
        if (end > begin) {
            reported.add(from(begin), to(end - 1));
        }
    }

    /** A peer may leave the FIN out of its block, although it has arrived together with the data before it. */
    private boolean inBlock(int index, long last) {
        long end = to(index);
        return end <= last || end == finEnd && end - 1 == last && from(index) < last;
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
                boolean rest = whole || first == buffer.end(); // the FIN becomes a record of its own
                long end = rest ? last : Math.min(last, buffer.segmentEnd(first, most));
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
        older = parts.older;
        newer = parts.newer;
        oldest = parts.oldest;
        newest = parts.newest;
        sackedBytes = parts.sackedBytes;
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
        oldest = NONE;
        newest = NONE;
        sackedBytes = 0;
        finEnd = Long.MAX_VALUE;
        reported.clear();
    }
}
