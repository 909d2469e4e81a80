package io.verbena.rnic;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.ConnectionState;

/** A connection's life as the application sees it, as a table. */
final class ConnectionStates {

    private ConnectionStates() {}

    /** What may happen to a connection. */
    enum Event {
        /** Both sides may send. */
        ESTABLISHED,
        /** The peer's application said no. */
        REJECTED,
        /** One side began to close, or an error began the end. */
        CLOSE_BEGAN,
        /** It is over, in good order. */
        CLOSED,
        /** It is over, by an error; set-up that was given up included. */
        FAILED
    }

    /** Every cell. */
    static final TransitionTable<ConnectionState, Event> TABLE = table();

    private static TransitionTable<ConnectionState, Event> table() {
        Answer<ConnectionState> never = new Answer.Never<>();
        Answer<ConnectionState> ignore = new Answer.Ignore<>();
        Answer<ConnectionState> stands = new Answer.Go<>(ConnectionState.ESTABLISHED);
        Answer<ConnectionState> refused = new Answer.Go<>(ConnectionState.REJECTED);
        Answer<ConnectionState> closing = new Answer.Go<>(ConnectionState.CLOSING);
        Answer<ConnectionState> closed = new Answer.Go<>(ConnectionState.CLOSED);
        Answer<ConnectionState> failed = new Answer.Go<>(ConnectionState.FAILED);
        return TransitionTable.of(ConnectionState.class, Event.class)
                // Columns: ESTABLISHED, REJECTED, CLOSE_BEGAN, CLOSED, FAILED
                .row(ConnectionState.CONNECTING, stands, refused, never, never, failed)
                .row(ConnectionState.ESTABLISHED, never, never, closing, closed, failed)
                .row(ConnectionState.CLOSING, never, never, ignore, closed, failed)
                .row(ConnectionState.CLOSED, ignore, ignore, ignore, ignore, ignore)
                .row(ConnectionState.REJECTED, ignore, ignore, ignore, ignore, ignore)
                .row(ConnectionState.FAILED, ignore, ignore, ignore, ignore, ignore)
                .build();
    }
}
