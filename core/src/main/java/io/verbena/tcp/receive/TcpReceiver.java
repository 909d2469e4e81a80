package io.verbena.tcp.receive;

import io.verbena.port.SegmentTaker;
import io.verbena.tcp.segment.RangeSet;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.wire.ip.TcpOptionWriter;
import java.nio.ByteBuffer;

/**
 * The receiving half of a connection: keeps what arrives within the window, and delivers it in one of two ways.
 *
 * <pre>
 *   bytes       in order, by {@link #read}
 *   segments    in any order, by {@link #receive}
 * </pre>
 *
 * <p>Segments are offered where the carrier has put them, also those after a hole. What the owner does not take in its turn is copied to its place in a
 * ring ({@link ArrivedBytes}), which every byte of the window has, whether there is a hole before it or not; so a hole costs no memory except the
 * range that ends it. If two segments carry different bytes for the same numbers, the first ones count.
 *
 * <p><b>Acknowledgment.</b> What has arrived is held, by the owner or in the ring, and is acknowledged whether the owner has taken it or not; SACK
 * reports it after a hole (RFC 2018 section 3). So a peer repeats nothing that is here. The exception is what the owner has taken after a hole: it may
 * withdraw that until the bytes before it are in order, and only the owner had its bytes. The cumulative acknowledgment therefore ends before such
 * a range. What is withdrawn has not arrived any more, and the next acknowledgment does not report it.
 *
 * <pre>
 *             taken       acknowledged    arrived
 *   ------------|-- refused --|-- taken early --|       |-- arrived: SACK --|        | edge of the window
 * </pre>
 *
 * <p>The window is measured from what was read or taken, its right edge never moves back (RFC 9293 section 3.8.6 [note]), and it moves only
 * in steps that are worth a segment (RFC 9293 section 3.8.6.2.2 [1]).
 */
public final class TcpReceiver {

    /** Most ranges after holes; the excess is dropped and sent again. */
    public static final int MOST_RANGES = 1024;

    private static final int BLOCKS = 4;

    private final ArrivedBytes bytes;
    private final int capacity;
    private int segmentBytes = 536;

    private final RangeSet arrivedRanges = new RangeSet(MOST_RANGES);
    private final RangeSet takenRanges = new RangeSet(MOST_RANGES);
    private long arrived;
    private long taken;
    private long read;
    private long edge;
    private long fin = Long.MAX_VALUE;
    private boolean finProcessed;

    private boolean segments;
    private long offsetBase;
    private long announced;

    /** What has arrived after a hole and has not been offered. */
    private final OfferQueue offers = new OfferQueue();

    private int limit = Integer.MAX_VALUE;

    /** Numbers in the ranges that changed most recently, for the order of SACK blocks. */
    private final long[] recent = new long[BLOCKS];

    private long duplicateFrom;
    private long duplicateTo;

    public TcpReceiver(ConnectionBuffers buffers) {
        this.bytes = new ArrivedBytes(buffers.receive(), buffers.counters());
        this.capacity = bytes.capacity();
    }

    /** The peer's initial sequence number is known. */
    public void begin(long irs) {
        arrived = irs + 1;
        taken = arrived;
        read = arrived;
        edge = arrived + most();
    }

    /** Limits the window from now on, because connections share the buffer of a carrier. It does not shrink at once. */
    public void limit(int bytes) {
        limit = bytes;
    }

    private int most() {
        return Math.min(capacity, limit);
    }

    public void segmentBytes(int bytes) {
        segmentBytes = bytes;
    }

    // State.

    private long inOrder() {
        return segments ? Math.max(takenRanges.firstPresent(taken, arrived), read) : arrived;
    }

    /** RCV.NXT: what is acknowledged. */
    public long nxt() {
        return finProcessed ? fin + 1 : inOrder();
    }

    /** The next sequence number that has not arrived; a reset has this one or {@link #nxt}. */
    public long nextArrival() {
        return finProcessed ? fin + 1 : arrived;
    }

    /** The sequence number after the window. */
    public long edge() {
        return edge;
    }

    /** The window for the next segment: moves the edge if that is worth a segment. */
    public long window() {
        long possible = (segments ? taken : read) + most();
        if (possible - edge >= Math.min(most() / 2, segmentBytes)) {
            edge = possible;
        }
        return Math.max(0, edge - nxt());
    }

    /** Whether the peer should learn at once that the window has grown. */
    public boolean windowGrown(long acknowledgedEdge) {
        long possible = (segments ? taken : read) + most();
        long open = acknowledgedEdge - nxt();
        return possible - acknowledgedEdge >= most() / 4
                || open < 2L * segmentBytes && possible - acknowledgedEdge >= segmentBytes;
    }

    /** Whether a segment lies in the window at least in part (RFC 9293 section 3.4 [note]). */
    public boolean acceptable(long sequence, int length) {
        return sequence + length >= nxt()
                && sequence <= edge
                && (length == 0 || sequence < edge && sequence + length > nxt());
    }

    /** Whether a number is among those that were received last, at most a window ago. */
    public boolean received(long sequence) {
        return sequence < nxt() && sequence >= nxt() - capacity;
    }

    public int holeRanges() {
        return arrivedRanges.count();
    }

    // Arrival.

    /** Outcome of {@link #store}. */
    public enum Arrival {
        /** The bytes continue those before them, and no hole was closed. */
        IN_ORDER,
        /** The bytes closed a hole or follow one, or were there before: the peer is waiting for an acknowledgment. */
        OUT_OF_ORDER,
        /** Too many ranges: not kept. */
        DROPPED
    }

    /** Keeps the bytes of an acceptable segment: where they are, if the carrier lends that until the owner has had its turn. */
    public Arrival store(long sequence, SegmentIn in) {
        int length = in.length();
        long first = Math.max(sequence, arrived);
        long last = Math.min(Math.min(sequence + length, edge), fin);
        noteDuplicate(sequence, Math.min(sequence + length, edge));
        if (first >= last) {
            return Arrival.OUT_OF_ORDER;
        }
        boolean holesBefore = arrivedRanges.count() > 0;
        if (first > arrived && !keepOffer(first, last)) {
            return Arrival.DROPPED;
        }
        for (long at = first; at < last; ) {
            long missing = arrivedRanges.firstMissing(at);
            long end = arrivedRanges.firstPresent(missing, last);
            if (missing < end) {
                bytes.keep(missing, end, in, in.payload() + missing - sequence, segments);
            }
            at = Math.max(end, missing);
        }
        if (first == arrived) {
            arrived = Math.max(last, arrivedRanges.firstMissing(last));
            arrivedRanges.removeBefore(arrived);
            return holesBefore ? Arrival.OUT_OF_ORDER : Arrival.IN_ORDER;
        }
        arrivedRanges.add(first, last);
        remember(first);
        return Arrival.OUT_OF_ORDER;
    }

    /** Whether bytes of the carrier are in use. */
    public boolean borrows() {
        return bytes.borrows();
    }

    /** Copies what the owner has not taken out of the memory of the carrier. */
    public void settle() {
        bytes.settle(taken, takenRanges);
    }

    /** Accounts for a segment after a hole; returns false if there is no space to account for it. */
    private boolean keepOffer(long first, long last) {
        if (!arrivedRanges.accepts(first, last)) {
            return false;
        }
        if (segments && takenRanges.firstMissing(first) < last) {
            offers.add(first, last); // what finds no space is offered when the hole before it closes
        }
        return true;
    }

    private void noteDuplicate(long first, long last) {
        long end = first < inOrder() ? Math.min(last, inOrder()) : Math.min(last, arrivedRanges.firstMissing(first));
        if (end > first) {
            boolean continues = first == duplicateTo; // of several in one turn, at least a run is reported
            duplicateFrom = continues ? duplicateFrom : first;
            duplicateTo = end;
        }
    }

    /** A segment outside of the window: if it repeats what was received, the peer learns that (RFC 2883). */
    public void onUnacceptable(long sequence, int length) {
        if (length > 0 && sequence + length <= inOrder()) {
            duplicateFrom = sequence;
            duplicateTo = sequence + length;
        }
    }

    private void remember(long at) {
        System.arraycopy(recent, 0, recent, 1, BLOCKS - 1);
        recent[0] = at;
    }

    /** A FIN with this number has arrived, in order or not. The first one counts. */
    public void onFin(long sequence) {
        if (fin == Long.MAX_VALUE && sequence >= arrived && sequence <= edge && !beyond(sequence)) {
            fin = sequence;
        }
    }

    private boolean beyond(long sequence) {
        int ranges = arrivedRanges.count();
        return ranges > 0 && arrivedRanges.to(ranges - 1) > sequence;
    }

    /** Processes the FIN once all bytes before it were received (and taken); returns whether it did. */
    public boolean takeFin() {
        if (finProcessed || inOrder() != fin) {
            return false;
        }
        finProcessed = true;
        return true;
    }

    boolean finProcessed() {
        return finProcessed;
    }

    // Bytes in order.

    /** Bytes that can be read. */
    public int readable() {
        return segments ? 0 : (int) (arrived - read);
    }

    public int read(ByteBuffer target) {
        int count = Math.min(readable(), target.remaining());
        bytes.read(read, count, target);
        read += count;
        return count;
    }

    // Segments in any order.

    /** Delivers segments from now on. */
    public void deliverSegments(long firstOffset) {
        segments = true;
        taken = read;
        // What was acknowledged as bytes stays acknowledged.
        read = arrived;
        offsetBase = taken - firstOffset;
        announced = firstOffset;
        for (int i = 0; i < arrivedRanges.count() && offers.add(arrivedRanges.from(i), arrivedRanges.to(i)); i++) {
            // what finds no space is offered when the hole before it closes
        }
    }

    /** Whether {@link #receive} has something to offer. */
    public boolean offerable() {
        return segments && (taken < arrived || !offers.isEmpty());
    }

    /** Whether all bytes of the peer were read or taken, and its FIN was processed. */
    public boolean atEnd() {
        return finProcessed && (segments ? taken == fin : read == fin);
    }

    /** Offers what has arrived; returns the number of bytes offered. */
    public int receive(SegmentTaker taker, int byteBudget) {
        int offered = offerHead(taker, byteBudget);
        while (offered < byteBudget && !offers.isEmpty()) {
            offered += offerAfterHole(taker);
            offered += offerHead(taker, byteBudget - offered);
        }
        if (taken - offsetBase > announced) {
            announced = taken - offsetBase;
            taker.onInOrder(announced);
        }
        return offered;
    }

    private int offerHead(SegmentTaker taker, int byteBudget) {
        int offered = 0;
        while (taken < arrived && offered < byteBudget) {
            long before = taken;
            offered += offer(taker, taken, takenRanges.firstPresent(taken, arrived));
            if (taken == before) {
                break;
            }
        }
        return offered;
    }

    /** Offers the next contiguous bytes of the first range that waits, unless they were taken or are in order meanwhile. */
    private int offerAfterHole(SegmentTaker taker) {
        long last = offers.to();
        long first = takenRanges.firstMissing(Math.max(offers.from(), arrived));
        first = arrivedRanges.firstPresent(first, last);
        if (first >= last) {
            offers.offered(last);
            return 0;
        }
        long limit = takenRanges.firstPresent(first, Math.min(last, arrivedRanges.firstMissing(first)));
        if (limit == first) {
            offers.offered(takenRanges.firstMissing(first));
            return 0;
        }
        bytes.locate(first, limit);
        offers.offered(bytes.end());
        return offer(taker, first, limit);
    }

    /** Offers the contiguous bytes that begin there; returns their number. */
    private int offer(SegmentTaker taker, long first, long limit) {
        bytes.locate(first, limit);
        long last = bytes.end();
        int length = (int) (last - first);
        taker.onSegment(first - offsetBase, bytes.slab(), bytes.position(), bytes.position() + length);
        while (taker.nextWithdrawn()) {
            withdraw(Math.max(taken, taker.withdrawnFrom() + offsetBase), taker.withdrawnTo() + offsetBase);
        }
        long from = Math.clamp(taker.takenFrom() + offsetBase, first, last);
        long to = Math.clamp(taker.takenTo() + offsetBase, first, last);
        if (from <= taken && to > taken) {
            taken = Math.max(to, takenRanges.firstMissing(to));
            takenRanges.removeBefore(taken);
        } else if (from < to && from > taken) {
            takenRanges.add(from, to); // without space for it, the ring keeps it as well
        }
        return length;
    }

    /** RFC 2018 section 8: what was reported by SACK only may be dropped. */
    private void withdraw(long from, long to) {
        for (long at = takenRanges.firstPresent(from, to); at < to; at = takenRanges.firstPresent(at, to)) {
            forget(at, Math.min(to, takenRanges.firstMissing(at)));
        }
    }

    /** Forgets what nothing but the owner had, so the peer sends it again. */
    private void forget(long from, long to) {
        takenRanges.remove(from, to);
        arrivedRanges.remove(from, to);
        if (from < arrived) {
            long before = arrived;
            arrived = from;
            if (to < before && !arrivedRanges.add(to, before)) {
                takenRanges.remove(to, before); // no space to account for it, so it is sent again as well
            }
        }
    }

    // SACK.

    /** The number of SACK blocks to report, at most this many; a duplicate counts. */
    public int blocks(int most) {
        return Math.min(most, arrivedRanges.count() + (duplicateTo > duplicateFrom ? 1 : 0));
    }

    /** Writes this many blocks: a duplicate (RFC 2883), then ranges, those that changed most recently first (RFC 2018). */
    public void writeBlocks(TcpOptionWriter out, int count) {
        RangeSet ranges = arrivedRanges;
        int left = count;
        if (duplicateTo > duplicateFrom && left > 0) {
            out.block((int) duplicateFrom, (int) duplicateTo);
            left--;
        }
        long written = 0;
        for (int i = 0; i < BLOCKS && left > 0; i++) {
            int index = ranges.indexOf(recent[i]);
            if (index >= 0 && index < Long.SIZE && (written & 1L << index) == 0) {
                written |= 1L << index;
                out.block((int) ranges.from(index), (int) ranges.to(index));
                left--;
            }
        }
        for (int index = 0; left > 0; index++) {
            if (index >= Long.SIZE || (written & 1L << index) == 0) {
                out.block((int) ranges.from(index), (int) ranges.to(index));
                left--;
            }
        }
    }

    /** The duplicate was reported (RFC 2883 section 4: once). */
    public void onBlocksSent() {
        duplicateFrom = 0;
        duplicateTo = 0;
    }

    /** Returns the memory. */
    public void discard() {
        bytes.discard();
        arrivedRanges.clear();
        takenRanges.clear();
        offers.clear();
    }
}
