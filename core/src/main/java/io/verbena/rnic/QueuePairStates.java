package io.verbena.rnic;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.IwarpQueuePairState;

/**
 * States of a queue pair as a table (RDMA Consortium verbs; RFC 5040 sections 5.4 [8] and 6.2). A queue pair is in RDMA
 * mode once in its life: set-up that came to nothing leaves it IDLE, to be tried again, and after an end it is not used
 * again.
 */
final class QueuePairStates {

    private QueuePairStates() {}

    /** What may happen to a queue pair. */
    enum Event {
        /** Set-up is done: RDMA mode begins. */
        ESTABLISHED,
        /** One side closes in good order. */
        CLOSE_BEGAN,
        /** A Terminate message was sent or received. */
        TERMINATED,
        /** The stream broke, or somebody aborted. */
        FAILED,
        /** The stream is closed and the work flushed. */
        STREAM_CLOSED
    }

    /** Every cell. */
    static final TransitionTable<IwarpQueuePairState, Event> TABLE = table();

    private static TransitionTable<IwarpQueuePairState, Event> table() {
        Answer<IwarpQueuePairState> never = new Answer.Never<>();
        Answer<IwarpQueuePairState> ignore = new Answer.Ignore<>();
        Answer<IwarpQueuePairState> idle = new Answer.Go<>(IwarpQueuePairState.IDLE);
        Answer<IwarpQueuePairState> rts = new Answer.Go<>(IwarpQueuePairState.RTS);
        Answer<IwarpQueuePairState> closing = new Answer.Go<>(IwarpQueuePairState.CLOSING);
        Answer<IwarpQueuePairState> terminate = new Answer.Go<>(IwarpQueuePairState.TERMINATE);
        Answer<IwarpQueuePairState> error = new Answer.Go<>(IwarpQueuePairState.ERROR);
        return TransitionTable.of(IwarpQueuePairState.class, Event.class)
                // Columns: ESTABLISHED, CLOSE_BEGAN, TERMINATED, FAILED, STREAM_CLOSED
                .row(IwarpQueuePairState.IDLE, rts, never, never, error, never)
                .row(IwarpQueuePairState.RTS, never, closing, terminate, error, never)
                .row(IwarpQueuePairState.CLOSING, never, ignore, terminate, error, idle)
                // RFC 5040 section 5.4 [8]: after a Terminate nothing follows but the close.
                .row(IwarpQueuePairState.TERMINATE, never, ignore, ignore, ignore, error)
                .row(IwarpQueuePairState.ERROR, never, ignore, ignore, ignore, ignore)
                .build();
    }
}
