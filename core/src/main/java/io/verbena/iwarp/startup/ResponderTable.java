package io.verbena.iwarp.startup;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/** The responder of an MPA start-up as a table: RFC 5044 section 7.1.2, rules 2, 4, 5, 6, 8, 9, 10. */
public final class ResponderTable {
    private ResponderTable() {}

    /** The states of a responder. */
    public enum State {
        /** Not started yet. */
        IDLE,
        /** The Request is not complete. */
        AWAITING_REQUEST,
        /** The application has the Request and decides. */
        DECIDING,
        /** The accepting Reply is being sent. */
        ACCEPTING,
        /** The rejecting Reply is being sent. */
        REJECTING,
        /** Full operation. */
        ESTABLISHED,
        /** This side rejected the request; the connection is in streaming mode. */
        REJECTED,
        /** The connection must be closed. */
        FAILED
    }

    /** The events of a responder. */
    public enum Event {
        /** {@code start} was called. */
        START,
        /** A complete, well-formed Request has arrived. */
        REQUEST_ARRIVED,
        /** Bytes that are no supported Request. */
        BAD_FRAME,
        /** Bytes after the Request, before the Reply was sent. */
        BYTES_TOO_EARLY,
        /** The application accepts. */
        ACCEPT,
        /** The application rejects. */
        REJECT,
        /** The last byte of the Reply was taken for sending. */
        REPLY_SENT,
        /** FIN or RST. */
        STREAM_ENDED,
        /** The time-out of the state has expired. */
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
        Answer<State> early = new Answer.Misuse<>("there is no request yet: wait for the outcome RequestArrived");
        Answer<State> again = new Answer.Misuse<>("the request has already been accepted");
        Answer<State> waiting = new Answer.Go<>(State.AWAITING_REQUEST);
        Answer<State> asking = new Answer.Go<>(State.DECIDING);
        Answer<State> accept = new Answer.Go<>(State.ACCEPTING);
        Answer<State> reject = new Answer.Go<>(State.REJECTING);
        Answer<State> done = new Answer.Go<>(State.ESTABLISHED);
        Answer<State> refused = new Answer.Go<>(State.REJECTED);
        Answer<State> failed = new Answer.Go<>(State.FAILED);
        return TransitionTable.of(State.class, Event.class)
                // Columns: START, REQUEST_ARRIVED, BAD_FRAME, BYTES_TOO_EARLY, ACCEPT,
                //          REJECT, REPLY_SENT, STREAM_ENDED, DEADLINE_PASSED, LOCAL_ERROR
                .row(State.IDLE, waiting, never, never, never, early, early, never, failed, never, failed)
                .row(State.AWAITING_REQUEST, once, asking, failed, never, early, early, never, failed, failed, failed)
                .row(State.DECIDING, once, never, never, failed, accept, reject, never, failed, reject, failed)
                .row(State.ACCEPTING, once, never, never, failed, again, again, done, failed, failed, failed)
                .row(State.REJECTING, once, never, never, failed, ignore, ignore, refused, failed, failed, failed)
                .row(State.ESTABLISHED, once, never, never, never, again, again, never, ignore, ignore, failed)
                .row(State.REJECTED, once, never, never, never, ignore, ignore, never, ignore, ignore, ignore)
                .row(State.FAILED, ignore, never, never, never, ignore, ignore, never, ignore, ignore, ignore)
                .build();
    }
}
