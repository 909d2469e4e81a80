package io.verbena.iwarp.early;

import io.verbena.base.Digest;
import io.verbena.iwarp.EarlyDelivery;
import java.util.Arrays;

/**
 * The holes of a received stream, in the order of the stream.
 *
 * <p><b>Purpose.</b> When TCP loses a packet, the data sent after it has arrived but may not be delivered for a round trip. A
 * receiver that only handles bytes must buffer them: it needs memory for a whole window and copies everything twice. A DDP
 * segment, however, names the buffer of its payload. The payload is therefore placed at once, and only what delivery needs is
 * kept. Most of that is kept where the completion will need it anyway, and the rest in one record for each run of segments:
 *
 * <pre>
 *   what arrives after a hole   where delivery will find it              counted in the hole
 *   Write                       record: key, address, length             (nothing completes)
 *   Send                        receive WQE: length, solicited event     sends
 *   Read Request, atomic        read queue: the request                  requests, atomics
 *   Read Response               record: its Read, length                 responses
 *   other                       record: the whole message                sends, responses
 *   end or begin of an FPDU     scrap: the bytes
 *
 *      in order        hole 0       early      hole 1   early
 *   ================|- - - - - |=============|- - - - |======|
 *                              sends 2, requests 1     sends 1
 * </pre>
 *
 * <p><b>Changes of holes.</b> What arrives in the middle of a hole splits it. What arrives at an edge makes it shorter. If a later
 * hole is filled, its messages are added to the hole before it, so that only the first hole is ever delivered:
 *
 * <pre>
 *   hole 1 is filled:   ====|- - - -|======+====+======|        hole 0: sends 3, requests 1
 *   hole 0 is filled:   ====+=======+==================|        3 CQEs, the read queue's doorbell
 * </pre>
 *
 * <p><b>Placement and delivery.</b> Placement may happen in any order and more than once (RFC 5041 section 5.3 [MAY]): it
 * changes bytes of a buffer whose contents are not yet valid for the application. Delivery has effects, so it happens in order
 * and once: a receive completes, a Read Request is served, an atomic is executed, a key is invalidated, a Terminate message ends
 * the stream. {@link EarlyDelivery} repeats the checks that depend on order when it delivers: message numbers and offsets must
 * continue the stream, a key must still be valid. An FPDU with a fault that is found early is not taken and ends nothing; TCP
 * sends it again, and the fault is reported in order.
 *
 * <p><b>Bounds.</b> A stream uses at most {@link EarlyTables#MAX_TABLE_BYTES} for holes and records and {@link
 * EarlyTables#MAX_SCRAP_BYTES} for scraps. Full tables cost only time: TCP sends again what was not taken.
 */
public final class Holes {

    static final int MAX_HOLES = 320;

    /** Size of a hole in memory: fields, object header, reference. */
    static final int HOLE_BYTES = 64;

    private static final int FIRST_CAPACITY = 8;

    private Hole[] holes = {};
    private int count;

    /** Stream offset after the last early byte. */
    private long end;

    boolean isEmpty() {
        return count == 0;
    }

    public int count() {
        return count;
    }

    public Hole hole(int index) {
        return holes[index];
    }

    int capacity() {
        return holes.length;
    }

    /** Size after {@link #grow}. */
    int nextCapacity() {
        return holes.length == 0 ? FIRST_CAPACITY : Math.min(MAX_HOLES, 2 * holes.length);
    }

    void grow() {
        int old = holes.length;
        holes = Arrays.copyOf(holes, nextCapacity());
        for (int i = old; i < holes.length; i++) {
            holes[i] = new Hole();
        }
    }

    /** Index of the first hole that ends after an offset; {@link #count} if there is none. */
    private int firstEndingAfter(long offset) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (holes[middle].to > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The first missing offset, starting at {@code offset}. */
    public long firstMissing(long offset) {
        int i = firstEndingAfter(offset);
        return i == count ? Math.max(offset, end) : Math.max(offset, holes[i].from);
    }

    /** The first early offset after a missing one; {@code otherwise} if no early byte follows. */
    long nextEarly(long missing, long otherwise) {
        int i = firstEndingAfter(missing);
        return i == count ? otherwise : Math.min(otherwise, holes[i].to);
    }

    /** Whether {@link #cover} needs one more hole. */
    boolean splits(long from, long to) {
        int i = firstEndingAfter(from);
        return i == count ? count == 0 || from > end : from > holes[i].from && to < holes[i].to;
    }

    /**
     * Bytes have arrived in a hole, or after all early bytes. There is a free hole if {@link #splits}.
     *
     * @param next stream offset of the first missing byte
     */
    void cover(long next, long from, long to) {
        int i = firstEndingAfter(from);
        if (i == count) {
            if (count == 0 || from > end) {
                holes[count++].begin(count == 1 ? next : end, from);
            }
            end = to;
            return;
        }
        Hole hole = holes[i];
        assert from >= hole.from && to <= hole.to : "these bytes were taken before";
        if (from > hole.from && to < hole.to) {
            insert(i).begin(hole.from, from);
            hole.from = to;
        } else if (to < hole.to) {
            hole.from = to;
        } else if (from > hole.from) {
            hole.to = from;
        } else {
            // Only what is in order fills the first hole, and that is not early.
            assert i > 0 : "in order";
            holes[i - 1].merge(hole);
            remove(i);
        }
    }

    /** Whether {@link #coverNext} needs one more hole. */
    boolean splitsNext(long to) {
        return count == 0 || to < holes[0].to;
    }

    /**
     * The bytes after those in order were taken: they follow an empty hole, which closes at once. There is a free hole if {@link
     * #splitsNext}.
     */
    void coverNext(long next, long to) {
        if (count == 0) {
            holes[count++].begin(next, next);
            end = to;
        } else if (to < holes[0].to) {
            holes[0].from = to;
            insert(0).begin(next, next);
        } else {
            assert to == holes[0].to : "these bytes were taken before";
            holes[0].from = next;
            holes[0].to = next;
        }
    }

    /** The hole before an early offset. */
    Hole before(long offset) {
        return holes[firstEndingAfter(offset) - 1];
    }

    /** All bytes before {@code offset} were delivered: removes the holes whose messages they were. */
    public void deliveredTo(long offset) {
        while (count > 0 && offset >= (count > 1 ? holes[1].from : end)) {
            remove(0);
        }
    }

    private Hole insert(int at) {
        Hole free = holes[count];
        System.arraycopy(holes, at, holes, at + 1, count - at);
        holes[at] = free;
        count++;
        return free;
    }

    private void remove(int at) {
        Hole free = holes[at];
        count--;
        System.arraycopy(holes, at + 1, holes, at, count - at);
        holes[count] = free;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, count);
        for (int i = 0; i < count; i++) {
            Hole h = holes[i];
            d = Digest.mix(d, h.to);
            // The first hole becomes shorter without notice.
            d = Digest.mix(d, i == 0 ? end : h.from);
            d = Digest.mix(d, ((long) h.sends << 32) + h.requests);
            d = Digest.mix(d, ((long) h.responses << 32) + h.atomics);
        }
        return d;
    }
}
