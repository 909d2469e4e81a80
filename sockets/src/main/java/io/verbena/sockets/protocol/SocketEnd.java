package io.verbena.sockets.protocol;

import io.verbena.base.TransitionTable;

/**
 * The end of a stream socket: what the program asked for, what its stream still sends, and what becomes of its
 * connection. {@link StreamState} is the state of the stream meanwhile.
 */
public enum SocketEnd {
    /** The program has the socket. */
    OPEN,
    /** The program has the socket, whose stream was lost. The connection is torn down. */
    LOST,
    /** As {@link #LOST}, and the connection is gone: the program reads what had arrived, and closes the socket. */
    REMAINS,
    /** The program has closed the socket. What was written is still being sent. */
    FLUSHING,
    /** The program has reset the socket. What the peer accepts at once is still being sent, for a limited time. */
    RESETTING,
    /**
     * The stream is over, and the peer was notified. The connection ends in order, however long the peer takes for its
     * part.
     */
    LEAVING,
    /** The program has closed the socket, and the connection is torn down. */
    TEARING,
    /** The connection is gone, and the program has closed the socket: its memory is released. */
    TORN;

    /** What changes the state. */
    public enum Event {
        /** The program closes the socket. */
        CLOSE,
        /** The program resets the connection. */
        RESET,
        /** The program closes the socket, and sends nothing any more. */
        DISCARD,
        /** The stream was lost before the program has closed the socket. */
        STREAM_LOST,
        /** The stream is over, the peer was notified of the end, and the connection exists. */
        STREAM_FINISHED,
        /** The stream is over in another way. */
        STREAM_OVER,
        /** What is left is not sent: its time has passed, or there is no connection. */
        GIVE_UP,
        /** The connection notifies that it has ended. */
        CONNECTION_ENDED,
        /** Nothing uses the connection and its memory any more. */
        TORN_DOWN
    }

    /** What the owner does after a transition; each of them once in the life of a socket. */
    public enum Effect {
        NONE,
        /** Ends the connection in order. */
        DISCONNECT,
        /** Closes the connection; {@link Event#TORN_DOWN} follows. */
        TEAR_DOWN,
        /** Releases the memory. */
        FREE
    }

    static final TransitionTable<SocketEnd, Event> TABLE = TransitionTable.of(SocketEnd.class, Event.class)
            .go(OPEN, Event.CLOSE, FLUSHING)
            .go(OPEN, Event.RESET, RESETTING)
            .go(OPEN, Event.DISCARD, TEARING)
            .go(OPEN, Event.STREAM_LOST, LOST)
            .ignore(OPEN, Event.CONNECTION_ENDED)
            .go(LOST, Event.CLOSE, TEARING)
            .go(LOST, Event.RESET, TEARING)
            .go(LOST, Event.DISCARD, TEARING)
            .go(LOST, Event.TORN_DOWN, REMAINS)
            .ignore(LOST, Event.CONNECTION_ENDED)
            .go(REMAINS, Event.CLOSE, TORN)
            .go(REMAINS, Event.RESET, TORN)
            .go(REMAINS, Event.DISCARD, TORN)
            .ignore(REMAINS, Event.CONNECTION_ENDED)
            .go(FLUSHING, Event.STREAM_FINISHED, LEAVING)
            .go(FLUSHING, Event.STREAM_OVER, TEARING)
            .ignore(FLUSHING, Event.CLOSE, Event.RESET, Event.DISCARD, Event.CONNECTION_ENDED)
            .go(RESETTING, Event.STREAM_FINISHED, LEAVING)
            .go(RESETTING, Event.STREAM_OVER, TEARING)
            .go(RESETTING, Event.GIVE_UP, TEARING)
            .ignore(RESETTING, Event.CLOSE, Event.RESET, Event.DISCARD, Event.CONNECTION_ENDED)
            .go(LEAVING, Event.CONNECTION_ENDED, TEARING)
            // A timer that is cancelled may run already.
            .ignore(LEAVING, Event.CLOSE, Event.RESET, Event.DISCARD, Event.GIVE_UP)
            .go(TEARING, Event.TORN_DOWN, TORN)
            .ignore(TEARING, Event.CLOSE, Event.RESET, Event.DISCARD, Event.GIVE_UP, Event.CONNECTION_ENDED)
            .ignore(TORN, Event.CLOSE, Event.RESET, Event.DISCARD, Event.GIVE_UP, Event.CONNECTION_ENDED)
            .otherwiseNever()
            .build();

    /** The state after an event. */
    public SocketEnd next(Event event) {
        return TABLE.next(this, event);
    }

    /** Whether the program has closed the socket. */
    public boolean closed() {
        return this != OPEN && this != LOST && this != REMAINS;
    }

    /** Whether the end of the connection has begun: the stream sends and receives nothing any more. */
    public boolean begun() {
        return this != OPEN && this != FLUSHING && this != RESETTING;
    }

    /** What the owner does after this transition. */
    public Effect effect(SocketEnd next) {
        if (next == this) {
            return Effect.NONE;
        }
        if (next == TORN) {
            return Effect.FREE;
        }
        if (next == LEAVING) {
            return Effect.DISCONNECT;
        }
        return next.begun() && (!begun() || this == LEAVING) ? Effect.TEAR_DOWN : Effect.NONE;
    }

    /** Content of docs/generated/stream-end.mmd. */
    static String mermaid() {
        return "%% Generated from SocketEnd; do not edit.\nstateDiagram-v2\n" + TABLE.mermaid("");
    }
}
