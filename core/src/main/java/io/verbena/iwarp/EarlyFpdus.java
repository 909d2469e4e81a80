package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The FPDUs that arrived out of order: they were placed when they arrived and are delivered when the holes before them close.
 *
 * <p><b>Purpose.</b> When TCP loses a packet, the data sent after it has arrived but may not be used for a round trip. A
 * receiver that only handles bytes must buffer them: it needs memory for a whole window and copies everything twice. A DDP
 * segment, however, names the buffer of its payload. The payload is therefore placed at once, and only what delivery needs is
 * kept: the headers, at most {@value #KEPT_BYTES} bytes.
 *
 * <pre>
 *   stream      in order        hole      early     hole   early   early
 *            ================|- - - - -|=========|- - - -|=======|=======|
 *                            ^          record 0          record 1 record 2
 *                    next offset
 *
 *   the first hole closes, and the next offset advances past record 0:
 *            ================+=========+=========|- - - -|=======|=======|
 *                                        deliver ^
 * </pre>
 *
 * <p><b>Placement and delivery.</b> Placement may happen in any order and more than once (RFC 5041 section 5.3 [MAY]): it
 * changes bytes of a buffer whose contents are not yet valid for the application. Delivery has effects, so it happens in order
 * and once: a receive completes, a Read Request is queued, an atomic is executed, a key is invalidated, a Terminate message ends
 * the stream. A record contains what delivery needs. Records are sorted by stream position; the records between two holes wait
 * for the first of these holes.
 *
 * <p>When the stream reaches a record, the record is decoded again and checked like any segment in order: message numbers and
 * offsets must be consecutive, a receive must exist, a key must still be valid. Only the copy is omitted. An FPDU with a fault
 * that is found early is not taken and ends nothing; TCP sends it again, and the fault is reported in order.
 *
 * <p><b>Start of an FPDU.</b> {@link EarlyReception} finds where an FPDU starts after a hole.
 *
 * <p><b>Bounds.</b> A stream has at most {@value #CAPACITY} records, whose memory is allocated for the first one. Records do not
 * overlap. A full table costs only time: TCP sends again what was not taken.
 */
final class EarlyFpdus {

    static final int CAPACITY = 64;

    /** Bytes kept of a ULPDU: its header, and the longest payload that is itself a header. */
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

    /** Index of the first record that starts at or after {@code offset}; {@link #count} if there is none. */
    int firstFrom(long offset) {
        int at = 0;
        while (at < count && position[at] < offset) {
            at++;
        }
        return at;
    }

    /** Index of the record that contains the byte at {@code offset}; -1 if there is none. */
    int holding(long offset) {
        int at = firstFrom(offset + 1) - 1;
        return at >= 0 && offset < end(at) ? at : -1;
    }

    /** The first offset, starting at {@code offset}, that no record contains. */
    long firstMissing(long offset) {
        long at = offset;
        for (int i = holding(at); i >= 0; i = holding(at)) {
            at = end(i);
        }
        return at;
    }

    long position(int index) {
        return position[index];
    }

    /** Length on the wire in bytes. */
    int wireLength(int index) {
        return wireLength[index];
    }

    long end(int index) {
        return position[index] + wireLength[index];
    }

    int ulpduLength(int index) {
        return ulpduLength[index];
    }

    /** Memory that contains the first bytes of the ULPDU, starting at {@link #keptAt}. */
    MemorySegment kept() {
        return kept;
    }

    long keptAt(int index) {
        return (long) slot[index] * KEPT_BYTES;
    }

    /** Adds a record. The table is not full, and no record contains any of these bytes. */
    void add(long newPosition, int newWireLength, MemorySegment ulpdu, long ulpduAt, int newUlpduLength) {
        if (position.length == 0) {
            allocate();
        }
        int at = firstFrom(newPosition);
        assert count < CAPACITY && newWireLength > FpduHeader.LENGTH : "full, or not an FPDU";
        assert at == 0 || end(at - 1) <= newPosition : "overlaps the record before it";
        assert at == count || newPosition + newWireLength <= position[at] : "overlaps the record after it";
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

    /** Removes the first record. */
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
            // The bytes are part of the state; the slot that contains them is not.
            for (int b = Math.min(ulpduLength[i], KEPT_BYTES) - 1; b >= 0; b--) {
                d = Digest.mix(d, kept.get(ValueLayout.JAVA_BYTE, keptAt(i) + b));
            }
        }
        return d;
    }
}
