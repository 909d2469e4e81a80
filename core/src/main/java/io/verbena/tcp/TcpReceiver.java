package io.verbena.tcp;

import io.verbena.base.Slab;
import io.verbena.port.SegmentTaker;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a connection: keeps what arrives within the window, and delivers it in one of two ways.
 *
 * <pre>
 *   bytes       in order, by {@link #read}         acknowledged when they have arrived
 *   segments    in any order, by {@link #receive}  acknowledged when the owner has taken them
 * </pre>
 *
 * <p>Every byte of the window has its place in a ring, whether there is a hole before it or not; so a hole costs no memory except
 * the range that ends it. If two segments carry different bytes for the same numbers, the first ones count.
 *
 * <p><b>Segments.</b> Three points advance independently: what has <i>arrived</i> without a gap, what was <i>taken</i> without a
 * gap, and single ranges that were taken after a hole. The cumulative acknowledgment is the second one, and SACK reports the third
 * ones: exactly what was taken. What the owner refused after a hole stays in the ring, but is not reported, so the peer sends it
 * again; it is offered again when the hole closes, even if the repetition is late.
 *
 * <pre>
 *             taken        arrived
 *   ------------|------------|       |-- arrived, taken: SACK --|   |-- arrived, refused --|        | edge of the window
 * </pre>
 *
 * <p>The window is measured from what was read or taken, its right edge never moves back (RFC 9293 section 3.8.6 [note]), and it moves only
 * in steps that are worth a segment (RFC 9293 section 3.8.6.2.2 [1]).
 */
final class TcpReceiver {

    /** Most ranges after holes; the excess is dropped and sent again. */
    static final int MOST_RANGES = 1024;

    private static final int MOST_OFFERS = 256;
    private static final int BLOCKS = 4;

    private final BufferPool memory;
    private final int capacity;
    private @Nullable ReceiveRing ring;
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

    /** Segments after a hole that have not been offered. */
    private final long[] offerFrom = new long[MOST_OFFERS];

    private final long[] offerTo = new long[MOST_OFFERS];
    private int firstOffer;
    private int offers;

    private final LentSegments lent = new LentSegments();
    private int limit = Integer.MAX_VALUE;

    /** Numbers in the ranges that changed most recently, for the order of SACK blocks. */
    private final long[] recent = new long[BLOCKS];

    private long duplicateFrom;
    private long duplicateTo;

    TcpReceiver(BufferPool memory) {
        this.memory = memory;
        this.capacity = memory.slabBytes() - ReceiveRing.TAIL;
    }

    /** The peer's initial sequence number is known. */
    void begin(long irs) {
        arrived = irs + 1;
        taken = arrived;
        read = arrived;
        edge = arrived + most();
    }

    /** Limits the window from now on, because connections share the buffer of a carrier. It does not shrink at once. */
    void limit(int bytes) {
        limit = bytes;
    }

    private int most() {
        return Math.min(capacity, limit);
    }

    void segmentBytes(int bytes) {
        segmentBytes = bytes;
    }

    private ReceiveRing ring() {
        ReceiveRing made = ring;
        if (made == null) {
            made = new ReceiveRing(memory.take());
            ring = made;
        }
        return made;
    }

    // State.

    private long inOrder() {
        return segments ? Math.max(taken, read) : arrived;
    }

    /** RCV.NXT: what is acknowledged. */
    long nxt() {
        return finProcessed ? fin + 1 : inOrder();
    }

    /** The next sequence number that has not arrived; a reset has this one or {@link #nxt}. */
    long nextArrival() {
        return finProcessed ? fin + 1 : arrived;
    }

    /** The sequence number after the window. */
    long edge() {
        return edge;
    }

    /** The window for the next segment: moves the edge if that is worth a segment. */
    long window() {
        long possible = (segments ? taken : read) + most();
        if (possible - edge >= Math.min(most() / 2, segmentBytes)) {
            edge = possible;
        }
        return Math.max(0, edge - nxt());
    }

    /** Whether the peer should learn at once that the window has grown. */
    boolean windowGrown(long acknowledgedEdge) {
        long possible = (segments ? taken : read) + most();
        long open = acknowledgedEdge - nxt();
        return possible - acknowledgedEdge >= most() / 4
                || open < 2L * segmentBytes && possible - acknowledgedEdge >= segmentBytes;
    }

    /** Whether a segment lies in the window at least in part (RFC 9293 section 3.4 [note]). */
    boolean acceptable(long sequence, int length) {
        return sequence + length >= nxt()
                && sequence <= edge
                && (length == 0 || sequence < edge && sequence + length > nxt());
    }

    /** Whether a number is among those that were received last, at most a window ago. */
    boolean received(long sequence) {
        return sequence < nxt() && sequence >= nxt() - capacity;
    }

    int holeRanges() {
        return arrivedRanges.count();
    }

    // Arrival.

    /** Outcome of {@link #store}. */
    enum Arrival {
        /** The bytes continue those before them, and no hole was closed. */
        IN_ORDER,
        /** The bytes closed a hole or follow one, or were there before: the peer is waiting for an acknowledgment. */
        OUT_OF_ORDER,
        /** Too many ranges: not kept. */
        DROPPED
    }

    /** Stores the bytes of an acceptable segment, unless the carrier lends them until the owner has had its turn. */
    Arrival store(long sequence, SegmentIn in) {
        MemorySegment source = in.memory();
        long offset = in.payload();
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
        if (first == arrived && !holesBefore && borrow(first, last, in, offset + first - sequence)) {
            arrived = last;
            return Arrival.IN_ORDER;
        }
        if (first == arrived) {
            settle(); // what is lent is the end of what has arrived, and the ring has no gap
        }
        for (long at = first; at < last; ) {
            long missing = arrivedRanges.firstMissing(at);
            long end = arrivedRanges.firstPresent(missing, last);
            if (missing < end) {
                ring().put(missing, source, offset + missing - sequence, (int) (end - missing));
            }
            at = Math.max(end, missing);
        }
        if (first == arrived) {
            arrived = Math.max(last, arrivedRanges.firstMissing(last));
            arrivedRanges.removeBefore(arrived);
            return holesBefore ? Arrival.OUT_OF_ORDER : Arrival.IN_ORDER;
        }
        arrivedRanges.add(first, last);
        if (!segments) {
            remember(first);
        }
        return Arrival.OUT_OF_ORDER;
    }

    private boolean borrow(long first, long last, SegmentIn in, long offset) {
        Slab slab = in.lent();
        return segments && slab != null && lent.add(first, last, slab, (int) offset);
    }

    /** Whether bytes of the carrier are in use. */
    boolean borrows() {
        return lent.any();
    }

    /** Copies what the owner has not taken out of the memory of the carrier. */
    void settle() {
        lent.advance(taken);
        while (lent.any()) {
            ring().put(lent.from(), lent.slab().segment(), lent.position(), (int) (lent.to() - lent.from()));
            lent.advance(lent.to());
        }
        lent.clear();
    }

    /** Accounts for a segment after a hole; returns false if there is no space to account for it. */
    private boolean keepOffer(long first, long last) {
        if (!arrivedRanges.accepts(first, last) || segments && offers == MOST_OFFERS) {
            return false;
        }
        if (segments) {
            int slot = (firstOffer + offers) % MOST_OFFERS;
            offerFrom[slot] = first;
            offerTo[slot] = last;
            offers++;
        }
        return true;
    }

    private void noteDuplicate(long first, long last) {
        RangeSet reported = segments ? takenRanges : arrivedRanges;
        long end = first < inOrder() ? Math.min(last, inOrder()) : Math.min(last, reported.firstMissing(first));
        if (end > first) {
            duplicateFrom = first;
            duplicateTo = end;
        }
    }

    /** A segment outside of the window: if it repeats what was received, the peer learns that (RFC 2883). */
    void onUnacceptable(long sequence, int length) {
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
    void onFin(long sequence) {
        if (fin == Long.MAX_VALUE && sequence >= arrived && sequence <= edge && !beyond(sequence)) {
            fin = sequence;
        }
    }

    private boolean beyond(long sequence) {
        int ranges = arrivedRanges.count();
        return ranges > 0 && arrivedRanges.to(ranges - 1) > sequence;
    }

    /** Processes the FIN once all bytes before it were received (and taken); returns whether it did. */
    boolean takeFin() {
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
    int readable() {
        return segments ? 0 : (int) (arrived - read);
    }

    int read(ByteBuffer target) {
        int count = Math.min(readable(), target.remaining());
        for (int done = 0; done < count; ) {
            ReceiveRing from = ring();
            int at = from.position(read);
            int part = Math.min(count - done, from.capacity() - at);
            target.put(target.position(), from.slab().range(at, at + part), at, part);
            target.position(target.position() + part);
            read += part;
            done += part;
        }
        return count;
    }

    // Segments in any order.

    /** Delivers segments from now on. */
    void deliverSegments(long firstOffset) {
        segments = true;
        taken = read;
        // What was acknowledged as bytes stays acknowledged.
        read = arrived;
        offsetBase = taken - firstOffset;
        announced = firstOffset;
        for (int i = 0; i < Math.min(MOST_OFFERS, arrivedRanges.count()); i++) {
            keepOffer(arrivedRanges.from(i), Math.min(arrivedRanges.to(i), arrivedRanges.from(i) + ReceiveRing.TAIL));
        }
    }

    /** Whether {@link #receive} has something to offer. */
    boolean offerable() {
        return segments && (taken < arrived || offers > 0);
    }

    /** Whether all bytes of the peer were read or taken, and its FIN was processed. */
    boolean atEnd() {
        return finProcessed && (segments ? taken == fin : read == fin);
    }

    /** Offers what has arrived; returns the number of bytes offered. */
    int receive(SegmentTaker taker, int byteBudget) {
        int offered = offerHead(taker, byteBudget);
        while (offered < byteBudget && offers > 0) {
            long first = Math.max(offerFrom[firstOffer], taken);
            long last = offerTo[firstOffer];
            firstOffer = (firstOffer + 1) % MOST_OFFERS;
            offers--;
            if (first > arrived && first < last) {
                offered += offer(taker, first, last);
                offered += offerHead(taker, byteBudget - offered);
            }
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
            lent.advance(taken);
            if (lent.any() && lent.from() == taken) {
                offered += offer(taker, taken, lent.to(), lent.slab(), lent.position());
            } else {
                long end = lent.any() ? lent.from() : arrived;
                offered += offer(taker, taken, Math.min(end, taken + ReceiveRing.TAIL));
            }
            if (taken == before) {
                break;
            }
        }
        return offered;
    }

    private int offer(SegmentTaker taker, long first, long last) {
        return offer(taker, first, last, ring().slab(), ring().position(first));
    }

    private int offer(SegmentTaker taker, long first, long last, Slab slab, int at) {
        int length = (int) (last - first);
        taker.onSegment(first - offsetBase, slab, at, at + length);
        while (taker.nextWithdrawn()) {
            // RFC 2018 section 8: what was reported by SACK only may be dropped. The bytes are still in the ring.
            takenRanges.remove(taker.withdrawnFrom() + offsetBase, taker.withdrawnTo() + offsetBase);
        }
        long from = Math.clamp(taker.takenFrom() + offsetBase, first, last);
        long to = Math.clamp(taker.takenTo() + offsetBase, first, last);
        if (from <= taken && to > taken) {
            taken = Math.max(to, takenRanges.firstMissing(to));
            takenRanges.removeBefore(taken);
        } else if (from < to && from > taken && takenRanges.add(from, to)) {
            remember(from);
        }
        return length;
    }

    // SACK.

    /** The number of SACK blocks to report, at most this many; a duplicate counts. */
    int blocks(int most) {
        int ranges = (segments ? takenRanges : arrivedRanges).count();
        return Math.min(most, ranges + (duplicateTo > duplicateFrom ? 1 : 0));
    }

    /** Writes this many blocks: a duplicate (RFC 2883), then ranges, those that changed most recently first (RFC 2018). */
    void writeBlocks(TcpOptionWriter out, int count) {
        RangeSet ranges = segments ? takenRanges : arrivedRanges;
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
    void onBlocksSent() {
        duplicateFrom = 0;
        duplicateTo = 0;
    }

    /** Returns the memory. */
    void discard() {
        ReceiveRing made = ring;
        if (made != null) {
            ring = null;
            memory.give(made.slab());
        }
        lent.clear();
        arrivedRanges.clear();
        takenRanges.clear();
        offers = 0;
    }
}
