package io.verbena.iwarp.startup;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/** The responder of an MPA start-up as a table: RFC 5044 section 7.1.2, rules 2, 4, 5, 6, 8, 9, 10. */
public final class ResponderTable {
    private ResponderTable() {}

    /** Where a responder stands. */
    public enum State {
        /** Not started. */
        IDLE,
        /** The Request is not here, or not all of it. */
        AWAITING_REQUEST,
        /** The application has the Request and thinks. */
        DECIDING,
        /** The accepting Reply is being handed out. */
        ACCEPTING,
        /** The rejecting Reply is being handed out. */
        REJECTING,
        /** Full operation. */
        ESTABLISHED,
        /** We said no; back in streaming mode. */
        REJECTED,
        /** To be closed. */
        FAILED
    }

    /** What may happen to a responder. */
    public enum Event {
        /** The owner starts. */
        START,
        /** A whole, well-formed Request. */
        REQUEST_ARRIVED,
        /** Something that is no Request we understand. */
        BAD_FRAME,
        /** Bytes behind the Request, before the Reply was out. */
        BYTES_TOO_EARLY,
        /** The application says yes. */
        ACCEPT,
        /** The application says no. */
        REJECT,
        /** The last byte of the Reply was handed out. */
        REPLY_SENT,
        /** FIN or RST. */
        STREAM_ENDED,
        /** The time for what the state waits for is up. */
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
        Answer<State> early = new Answer.Misuse<>("there is no request yet: wait for the outcome RequestArrived");
        Answer<State> again = new Answer.Misuse<>("the request has been accepted already");
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
