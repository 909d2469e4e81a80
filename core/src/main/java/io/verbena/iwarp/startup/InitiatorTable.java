package io.verbena.iwarp.startup;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/** The initiator of an MPA start-up as a table: RFC 5044 section 7.1.2, rules 1, 3, 5, 8, 9, 10; RFC 6581 section 9. */
public final class InitiatorTable {
    private InitiatorTable() {}

    /** Where an initiator stands. */
    public enum State {
        /** Not started. */
        IDLE,
        /** The Request is being handed out. */
        SENDING_REQUEST,
        /** The Request is out; the Reply is not here, or not all of it. */
        AWAITING_REPLY,
        /** Full operation. */
        ESTABLISHED,
        /** The peer said no; back in streaming mode. */
        REJECTED,
        /** To be closed. */
        FAILED
    }

    /** What may happen to an initiator. */
    public enum Event {
        /** The owner starts. */
        START,
        /** The last byte of the Request was handed out. */
        REQUEST_SENT,
        /** A Reply without R that we can live with. */
        REPLY_ACCEPTS,
        /** A Reply with R. */
        REPLY_REJECTS,
        /** A Reply without R that we cannot live with. */
        REPLY_UNSUITABLE,
        /** Something that is no Reply to our Request. */
        BAD_FRAME,
        /** FIN or RST. */
        STREAM_ENDED,
        /** The time for the exchange is up. */
        DEADLINE_PASSED,
        /** The owner cannot go on. */
        LOCAL_ERROR
    }

    /** Every cell. */
    public static final TransitionTable<State, Event> TABLE = table();

    private static TransitionTable<State, Event> table() {
        Answer<State> never = new Answer.Never<>();
        Answer<State> ignore = new Answer.Ignore<>();
        Answer<State> once = new Answer.Misuse<>("start is called once");
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
