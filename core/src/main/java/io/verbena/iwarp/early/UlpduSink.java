package io.verbena.iwarp.early;

import io.verbena.wire.Ulpdu;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The consumer of the ULPDUs that MPA receives: it checks them, places their payload in any order, and delivers them in stream
 * order. This is a class and not an interface because it has a single implementation in production, whose calls the compiler
 * then inlines.
 */
public abstract class UlpduSink {

    /** Whether a segment carries payload for a buffer, which can be placed in parts. */
    public static boolean carriesData(Ulpdu u) {
        return switch (u.opcode()) {
            case WRITE, READ_RESPONSE, SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE -> true;
            default -> false;
        };
    }

    /** Checks a segment in stream order; {@code segment} contains its header. Returns false after a violation. */
    public abstract boolean admit(Ulpdu u, MemorySegment segment);

    /** Whether {@link #admit} would return true. Changes nothing. */
    public abstract boolean admits(Ulpdu u);

    /**
     * Copies {@code count} bytes of an admitted segment's payload, starting at byte {@code done} of the payload, to their
     * buffer.
     */
    public abstract Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count);

    /**
     * Copies the whole payload of a segment that arrived out of order to its buffer. A fault of the segment has no effect
     * except that the result is not DONE; it is reported when the segment is delivered in order.
     */
    public abstract Moved placeEarly(Ulpdu u, MemorySegment source);

    /**
     * Enters a Read Request or Atomic Request that arrived out of order in the read queue, where it is not served before it is
     * delivered. Returns false if the queue has no place for it.
     */
    public abstract boolean enterEarly(Ulpdu u, MemorySegment segment);

    /** The requests that were entered early; the slot is the MSN modulo the number of slots. */
    public abstract EarlyMessages entered();

    /**
     * Delivers Sends whose segments were all placed early, after the first of these segments was admitted.
     *
     * @param count number of Sends that are complete
     * @param nextMo payload bytes of the Send after them that were placed early and continue it
     */
    public abstract void deliverSends(Ulpdu first, int count, int nextMo);

    /**
     * Processes an admitted segment that has arrived completely and whose payload is placed. {@code segment} contains it; it
     * is read only for segments that carry no payload for a buffer.
     *
     * @return NOT_NOW when memory is not available now and the same call must be repeated (never for segments that carry
     *     payload for a buffer); otherwise DONE, also after a violation
     */
    public abstract Moved deliver(Ulpdu u, MemorySegment segment);

    /**
     * A view of at most {@code count} bytes to which payload of an admitted segment can be read directly from the socket,
     * starting at byte {@code done} of the payload; or an empty buffer.
     */
    public abstract ByteBuffer view(Ulpdu u, long done, int count);

    /** Memory address of the most recent view that was not empty. */
    public abstract long viewAddress();

    /**
     * Places and delivers a Write of one segment in one step.
     *
     * @return false if anything is not as usual, and nothing has happened but that bytes of the buffer have changed:
     *     the segment has the same outcome, or shows the fault
     */
    public boolean takeWrite(int stag, long to, MemorySegment source, long sourceOffset, int count) {
        return false;
    }

    /** A Send of {@link #takeSend} had this in the field for an STag. */
    public void onHint(int field) {}

    /**
     * The same for a Send.
     *
     * @param queueAndMsn the queue number and the message sequence number of its header, as one word
     */
    public boolean takeSend(long queueAndMsn, MemorySegment source, long sourceOffset, int count, boolean solicited) {
        return false;
    }
}
