package io.verbena.storage.host;

import io.verbena.base.TransitionTable;

/** States of one queue of a host. */
enum QueueState {
    /** There is no connection. */
    CLOSED,
    /** The connection is being established. */
    CONNECTING,
    /** The connection exists; Connect is not answered yet. */
    JOINING,
    /** Commands are sent. */
    LIVE,
    /** The connection is ending. Transfers may touch memory until it has ended. */
    CLOSING;

    enum Event {
        CONNECT,
        CONNECTED,
        JOINED,
        CLOSE,
        CLOSED
    }

    static final TransitionTable<QueueState, Event> TABLE = TransitionTable.of(QueueState.class, Event.class)
            .go(CLOSED, Event.CONNECT, CONNECTING)
            .go(CONNECTING, Event.CONNECTED, JOINING)
            .go(JOINING, Event.JOINED, LIVE)
            .go(CONNECTING, Event.CLOSE, CLOSING)
            .go(JOINING, Event.CLOSE, CLOSING)
            .go(LIVE, Event.CLOSE, CLOSING)
            .go(CLOSING, Event.CLOSED, CLOSED)
            .ignore(CLOSED, Event.CLOSE)
            // The driver learns only later that it is too late.
            .ignore(CLOSING, Event.CLOSE, Event.CONNECTED)
            .otherwiseNever()
            .build();
}
