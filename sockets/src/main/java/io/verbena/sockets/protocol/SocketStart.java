package io.verbena.sockets.protocol;

import io.verbena.base.TransitionTable;

/** The beginning of a stream socket. {@link SocketEnd} is its end, and {@link StreamState} the state of its stream. */
public enum SocketStart {
    /** This side connects. */
    ASKING,
    /**
     * This side connects, and sends nothing yet, so that a Verbena does not show the connection to its program: the
     * attempt can be given up.
     */
    HELD,
    /** As {@link #HELD}, and the connection is established. */
    HELD_ESTABLISHED,
    /** This side connected, and the connection is established. */
    ESTABLISHED,
    /** The connection is established, but the peer speaks another protocol. */
    REFUSED,
    /** The peer asks for the connection. */
    ANSWERING,
    /**
     * The connection is established. A peer that is a Verbena has it when it sends the first message: before that it
     * may have given up, and has connected in another way.
     */
    ANSWERED;

    /** What changes the state. */
    public enum Event {
        /** The peer asks. */
        REQUESTED,
        /** The program of this side is not sure that it wants the connection. */
        HOLD,
        /** The connection is wanted. */
        RESUME,
        /** The connection notifies that it is established. */
        ESTABLISHED,
        /** What the peer has replied belongs to another protocol. */
        OTHER_PROTOCOL
    }

    static final TransitionTable<SocketStart, Event> TABLE = TransitionTable.of(SocketStart.class, Event.class)
            .go(ASKING, Event.REQUESTED, ANSWERING)
            .go(ASKING, Event.HOLD, HELD)
            .go(ASKING, Event.ESTABLISHED, ESTABLISHED)
            .ignore(ASKING, Event.RESUME)
            .go(HELD, Event.RESUME, ASKING)
            .go(HELD, Event.ESTABLISHED, HELD_ESTABLISHED)
            .ignore(HELD, Event.HOLD)
            .go(HELD_ESTABLISHED, Event.RESUME, ESTABLISHED)
            .go(HELD_ESTABLISHED, Event.OTHER_PROTOCOL, REFUSED)
            // It cannot be given up any more.
            .go(HELD_ESTABLISHED, Event.HOLD, ESTABLISHED)
            .go(ESTABLISHED, Event.OTHER_PROTOCOL, REFUSED)
            // The program of the peer may have it already.
            .ignore(ESTABLISHED, Event.HOLD, Event.RESUME)
            .ignore(REFUSED, Event.HOLD, Event.RESUME)
            .go(ANSWERING, Event.ESTABLISHED, ANSWERED)
            .go(ANSWERED, Event.OTHER_PROTOCOL, REFUSED)
            .otherwiseNever()
            .build();

    /** The state after an event. */
    public SocketStart next(Event event) {
        return TABLE.next(this, event);
    }

    /** Whether the connection has been established. */
    public boolean established() {
        return this == HELD_ESTABLISHED || this == ESTABLISHED || this == REFUSED || this == ANSWERED;
    }

    /** Whether something may be sent. */
    public boolean sends() {
        return established() && this != HELD_ESTABLISHED;
    }

    /** Content of docs/generated/stream-start.mmd. */
    static String mermaid() {
        return "%% Generated from SocketStart; do not edit.\nstateDiagram-v2\n" + TABLE.mermaid("");
    }
}
