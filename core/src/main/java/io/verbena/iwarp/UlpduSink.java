package io.verbena.iwarp;

import io.verbena.wire.Ulpdu;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * What MPA hands a ULPDU to: a check, placement in any order, delivery in stream order. A class and not an interface,
 * since there is one in production and so its calls cost nothing.
 */
abstract class UlpduSink {

    /** Whether a segment carries payload for a buffer, so that it can be placed piece by piece. */
    static boolean carriesData(Ulpdu u) {
        return switch (u.opcode()) {
            case WRITE, READ_RESPONSE, SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE -> true;
            default -> false;
        };
    }

    /** Checks a segment whose header is at hand in {@code segment}, in stream order; false after a violation. */
    abstract boolean admit(Ulpdu u, MemorySegment segment);

    /**
     * Puts {@code count} bytes of an admitted segment's payload, beginning at byte {@code done} of it, where they
     * belong.
     */
    abstract Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count);

    /**
     * Puts the whole payload of a segment that came before its turn where it belongs. No fault of it counts before its
     * turn: whatever is wrong, nothing but placement happens and the answer is not DONE.
     */
    abstract Moved placeEarly(Ulpdu u, MemorySegment source);

    /**
     * An admitted segment is all here, its data placed: draws the consequences. {@code segment} holds it (only what
     * carries no data is read there).
     *
     * @return NOT_NOW when memory is not there now and the same is to be tried again (never for what carries data);
     *     else DONE, also after a violation
     */
    abstract Moved deliver(Ulpdu u, MemorySegment segment);

    /**
     * Where payload of an admitted segment from byte {@code done} on can be read directly from the socket: a view of at
     * most {@code count} bytes, or an empty buffer.
     */
    abstract ByteBuffer view(Ulpdu u, long done, int count);

    /** Where the last view that was not empty lies in memory. */
    abstract long viewAddress();
}
