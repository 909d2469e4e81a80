package io.verbena.iwarp.startup;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/** The initiator of an MPA start-up as a table: RFC 5044 section 7.1.2, rules 1, 3, 5, 8, 9, 10; RFC 6581 section 9. */
public final class InitiatorTable {
    private InitiatorTable() {}

    /** The states of an initiator. */
    public enum State {
        /** Not started yet. */
        IDLE,
        /** The Request is being sent. */
        SENDING_REQUEST,
        /** The Request has been sent; the Reply is not complete. */
        AWAITING_REPLY,
        /** Full operation. */
        ESTABLISHED,
        /** The peer rejected the request; the connection is in streaming mode. */
        REJECTED,
        /** The connection must be closed. */
        FAILED
    }

    /** The events of an initiator. */
    public enum Event {
        /** {@code start} was called. */
        START,
        /** The last byte of the Request was taken for sending. */
        REQUEST_SENT,
        /** An acceptable Reply without R. */
        REPLY_ACCEPTS,
        /** A Reply with R. */
        REPLY_REJECTS,
        /** An unacceptable Reply without R. */
        REPLY_UNSUITABLE,
        /** Bytes that are no Reply to the Request. */
        BAD_FRAME,
        /** FIN or RST. */
        STREAM_ENDED,
        /** The time-out of the exchange has expired. */
        DEADLINE_PASSED,
        /** The owner cannot continue. */
        LOCAL_ERROR
    }

    /** The answer of each state to each event. */
    public static final TransitionTable<State, Event> TABLE = table();

    private static TransitionTable<State, Event> table() {
        Answer<State> never = new Answer.Never<>();
        Answer<State> ignore = new Answer.Ignore<>();
        Answer<State> once = new Answer.Misuse<>("start must be called only once");
        Answer<State> sending = new Answer.Go<>(State.SENDING_REQUEST);
        Answer<State> waiting = new Answer.Go<>(State.AWAITING_REPLY);
        Answer<State> done = new Answer.Go<>(State.ESTABLISHED);
        Answer<State> refused = new Answer.Go<>(State.REJECTED);
        Answer<State> failed = new Answer.Go<>(State.FAILED);
        return TransitionTable.of(State.class, Event.class)
                // Columns: START, REQUEST_SENT, REPLY_ACCEPTS, REPLY_REJECTS, REPLY_UNSUITABLE,
                //          BAD_FRAME, STREAM_ENDED, DEADLINE_PASSED, LOCAL_ERROR
                .row(State.IDLE, sending, never, never, never, never, never, failed, never, failed)
                .row(State.SENDING_REQUEST, once, waiting, never, never, never, failed, failed, failed, failed)
                .row(State.AWAITING_REPLY, once, never, done, refused, failed, failed, failed, failed, failed)
                .row(State.ESTABLISHED, once, never, never, never, never, never, ignore, ignore, failed)
                .row(State.REJECTED, once, never, never, never, never, never, ignore, ignore, ignore)
                .row(State.FAILED, ignore, never, never, never, never, never, ignore, ignore, ignore)
                .build();
    }
}
