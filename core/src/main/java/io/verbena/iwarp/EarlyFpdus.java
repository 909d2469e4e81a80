package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The FPDUs that came before their turn: placed when they came, delivered when the holes before them have closed.
 *
 * <p><b>Why.</b> When TCP loses one packet, all that was sent behind it has arrived and may not be used for a round
 * trip. A receiver that only knows bytes must keep them meanwhile: memory for a whole window, and a second copy of
 * everything. But a DDP segment says itself where its payload belongs. So it is put there at once, and what has to be
 * kept is only what it
 * <i>means</i>: its headers, at most {@value #KEPT_BYTES} bytes.
 *
 * <pre>
 *   stream      in order        hole      early     hole   early   early
 *            ================|- - - - -|=========|- - - -|=======|=======|
 *                            ^          record 0          record 1 record 2
 *                    next offset
 *
 *   the first hole closes:                                  the next offset jumps over record 0
 *            ================+=========+=========|- - - -|=======|=======|
 *                                        deliver ^
 * </pre>
 *
 * <p><b>Placement and delivery are two things.</b> Placing may be done in any order and more than once (RFC 5041
 * section 5.3 [MAY]): it changes bytes of a buffer whose contents nobody may rely on yet. Delivery makes things happen,
 * so it has one order and happens once: a receive completes, a Read Request is queued to be answered, an atomic is
 * executed, a key is invalidated, a Terminate message ends the stream. A record is what delivery needs, kept by stream
 * position. Between two records that do not touch there is a hole; the records behind a hole, up to the next one, are
 * what waits for just that hole: its Sends become as many completions when it closes, its Read Requests start then, its
 * Reads complete then.
 *
 * <p>When the stream has come to a record, the record's bytes are decoded again and go through the same check as every
 * segment in its turn: message numbers and offsets must follow one another, a receive must be there, a key must still
 * be valid. Only the copying is left out. What was found wrong before its turn was not taken, and ends nothing: it
 * comes again, and then it counts.
 *
 * <p><b>Where does an FPDU begin?</b> Behind a hole, that is the question; {@link EarlyReception} answers it.
 *
 * <p><b>Bounds.</b> {@value #CAPACITY} records a stream, their memory made when the first one comes. Records never
 * overlap. When the table is full nothing is lost but time: what is not taken, TCP sends again.
 */
final class EarlyFpdus {

    static final int CAPACITY = 64;

    /** What is kept of a ULPDU: its header, and the longest payload that is a header of its own. */
    static final int KEPT_BYTES = DdpUntagged.LENGTH + AtomicRequest.LENGTH;

    private long[] position = {};
    private int[] wireLength = {};
    private int[] ulpduLength = {};
    private int[] slot = {};
    private MemorySegment kept = MemorySegment.NULL;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == CAPACITY;
    }

    /** Index of the first record that starts at {@code offset} or behind it; {@link #count} if there is none. */
    int firstFrom(long offset) {
        int at = 0;
        while (at < count && position[at] < offset) {
            at++;
        }
        return at;
    }

    /** Index of the record that holds the byte at {@code offset}; -1 if none does. */
    int holding(long offset) {
        int at = firstFrom(offset + 1) - 1;
        return at >= 0 && offset < end(at) ? at : -1;
    }

    /** The first offset from {@code offset} on that no record holds. */
    long behindAll(long offset) {
        long at = offset;
        for (int i = holding(at); i >= 0; i = holding(at)) {
            at = end(i);
        }
        return at;
    }

    long position(int index) {
        return position[index];
    }

    /** Bytes on the wire. */
    int wireLength(int index) {
        return wireLength[index];
    }

    long end(int index) {
        return position[index] + wireLength[index];
    }

    int ulpduLength(int index) {
        return ulpduLength[index];
    }

    /** Memory that holds the first bytes of the ULPDU, from {@link #keptAt} on. */
    MemorySegment kept() {
        return kept;
    }

    long keptAt(int index) {
        return (long) slot[index] * KEPT_BYTES;
    }

    /** Adds a record: it is not full, and no record holds any of these bytes. */
    void add(long newPosition, int newWireLength, MemorySegment ulpdu, long ulpduAt, int newUlpduLength) {
        if (position.length == 0) {
            allocate();
        }
        int at = firstFrom(newPosition);
        assert count < CAPACITY && newWireLength > FpduHeader.LENGTH : "no room, or no FPDU";
        assert at == 0 || end(at - 1) <= newPosition : "overlaps the record before it";
        assert at == count || newPosition + newWireLength <= position[at] : "overlaps the record behind it";
        int free = slot[count];
        System.arraycopy(position, at, position, at + 1, count - at);
        System.arraycopy(wireLength, at, wireLength, at + 1, count - at);
        System.arraycopy(ulpduLength, at, ulpduLength, at + 1, count - at);
        System.arraycopy(slot, at, slot, at + 1, count - at);
        position[at] = newPosition;
        wireLength[at] = newWireLength;
        ulpduLength[at] = newUlpduLength;
        slot[at] = free;
        count++;
        MemorySegment.copy(ulpdu, ulpduAt, kept, keptAt(at), Math.min(newUlpduLength, KEPT_BYTES));
    }

    /** Takes the first record away. */
    void removeFirst() {
        int free = slot[0];
        count--;
        System.arraycopy(position, 1, position, 0, count);
        System.arraycopy(wireLength, 1, wireLength, 0, count);
        System.arraycopy(ulpduLength, 1, ulpduLength, 0, count);
        System.arraycopy(slot, 1, slot, 0, count);
        slot[count] = free;
    }

    private void allocate() {
        position = new long[CAPACITY];
        wireLength = new int[CAPACITY];
        ulpduLength = new int[CAPACITY];
        slot = new int[CAPACITY];
        for (int i = 0; i < CAPACITY; i++) {
            slot[i] = i;
        }
        kept = MemorySegment.ofArray(new byte[CAPACITY * KEPT_BYTES]);
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, count);
        for (int i = 0; i < count; i++) {
            d = Digest.mix(d, position[i]);
            d = Digest.mix(d, (long) wireLength[i] << 32 | ulpduLength[i]);
            // What it means is in its bytes; where they are kept is not.
            for (int b = Math.min(ulpduLength[i], KEPT_BYTES) - 1; b >= 0; b--) {
                d = Digest.mix(d, kept.get(ValueLayout.JAVA_BYTE, keptAt(i) + b));
            }
        }
        return d;
    }
}
