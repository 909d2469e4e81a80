package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.queue.Wqe;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * What is left to do for an element of the send queue that an earlier stream of a surviving connection has had
 * executed.
 */
final class RecoveredWork {

    static final String NOT_STORED = "the result of an atomic cannot be stored in its buffer";

    enum Outcome {
        /** Nothing is left. */
        DONE,
        /** The immediate data after a Write are left to be sent. */
        MORE,
        NOT_NOW,
        LOST
    }

    private final SurvivingWork surviving;
    private final LocalBuffers buffers;
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    RecoveredWork(StreamContext context, SurvivingWork surviving) {
        this.surviving = surviving;
        buffers = context.buffers();
    }

    /** Whether a stream has had the element executed, or a part of it. */
    boolean applies(Wqe wqe) {
        return surviving.executedEarlier(wqe) || surviving.halfExecutedEarlier(wqe);
    }

    /** Does what can be done here: stores the result of an atomic. */
    Outcome apply(Wqe wqe) {
        if (surviving.halfExecutedEarlier(wqe)) {
            return Outcome.MORE;
        }
        if (!wqe.atomic()) {
            return Outcome.DONE;
        }
        word.set(JAVA_LONG, 0, surviving.result(wqe));
        Moved moved = buffers.scatter(wqe, 0, word, 0, Long.BYTES);
        return moved == Moved.DONE ? Outcome.DONE : moved == Moved.NOT_NOW ? Outcome.NOT_NOW : Outcome.LOST;
    }
}
