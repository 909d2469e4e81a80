package io.verbena.sockets.protocol;

import io.verbena.base.TransitionTable;

/** The life of a stream: the two directions of it, and who has ended them. */
public enum StreamState {
    /** The connection is being established. */
    CONNECTING,
    /** Data in both directions. */
    OPEN,
    /** This side sends no more data, and reads. */
    OUTPUT_SHUT,
    /** The peer sends no more data, and reads. */
    INPUT_ENDED,
    /** Both directions have ended; the socket is still open. */
    ENDED,
    /** The peer neither sends nor reads, but this side had not ended its output: writing fails. */
    PEER_GONE,
    /** The socket is closed; what was written is still being sent. */
    CLOSING,
    /** The socket is closed and nothing is left to do. */
    CLOSED,
    /** The connection was reset. */
    LOST;

    /** What changes the state. */
    enum Event {
        CONNECTED,
        SHUT_OUTPUT,
        PEER_SHUT,
        PEER_DISCONNECTED,
        CLOSE,
        /** Everything that was written has arrived, and the peer was notified of the end. */
        FLUSHED,
        /** The connection ended. */
        CONNECTION_ENDED,
        /** The peer violated the protocol, or the connection failed. */
        FAILED
    }

    static final TransitionTable<StreamState, Event> TABLE = TransitionTable.of(StreamState.class, Event.class)
            .go(CONNECTING, Event.CONNECTED, OPEN)
            .go(OPEN, Event.SHUT_OUTPUT, OUTPUT_SHUT)
            .go(OPEN, Event.PEER_SHUT, INPUT_ENDED)
            .go(OPEN, Event.PEER_DISCONNECTED, PEER_GONE)
            .go(OUTPUT_SHUT, Event.PEER_SHUT, ENDED)
            .go(OUTPUT_SHUT, Event.PEER_DISCONNECTED, ENDED)
            .go(INPUT_ENDED, Event.SHUT_OUTPUT, ENDED)
            .go(INPUT_ENDED, Event.PEER_DISCONNECTED, PEER_GONE)
            .go(PEER_GONE, Event.SHUT_OUTPUT, ENDED)
            .go(CONNECTING, Event.CLOSE, CLOSED)
            .go(OPEN, Event.CLOSE, CLOSING)
            .go(OUTPUT_SHUT, Event.CLOSE, CLOSING)
            .go(INPUT_ENDED, Event.CLOSE, CLOSING)
            .go(ENDED, Event.CLOSE, CLOSING)
            .go(PEER_GONE, Event.CLOSE, CLOSED)
            .go(CLOSING, Event.PEER_DISCONNECTED, CLOSED)
            .go(CLOSING, Event.FLUSHED, CLOSED)
            .go(CLOSING, Event.CONNECTION_ENDED, CLOSED)
            .go(CLOSING, Event.FAILED, CLOSED)
            .go(LOST, Event.CLOSE, CLOSED)
            .go(CONNECTING, Event.CONNECTION_ENDED, LOST)
            .go(OPEN, Event.CONNECTION_ENDED, LOST)
            .go(OUTPUT_SHUT, Event.CONNECTION_ENDED, LOST)
            .go(INPUT_ENDED, Event.CONNECTION_ENDED, LOST)
            .go(CONNECTING, Event.FAILED, LOST)
            .go(OPEN, Event.FAILED, LOST)
            .go(OUTPUT_SHUT, Event.FAILED, LOST)
            .go(INPUT_ENDED, Event.FAILED, LOST)
            .go(PEER_GONE, Event.FAILED, LOST)
            .ignore(ENDED, Event.FAILED)
            .ignore(ENDED, Event.CONNECTION_ENDED)
            .ignore(PEER_GONE, Event.CONNECTION_ENDED)
            // What a peer says twice, or after its end, changes nothing.
            .ignore(INPUT_ENDED, Event.PEER_SHUT)
            .ignore(ENDED, Event.PEER_SHUT, Event.PEER_DISCONNECTED)
            .ignore(PEER_GONE, Event.PEER_SHUT, Event.PEER_DISCONNECTED)
            .ignore(CLOSING, Event.PEER_SHUT, Event.CLOSE)
            .ignore(LOST, Event.PEER_SHUT, Event.PEER_DISCONNECTED, Event.CONNECTION_ENDED, Event.FAILED)
            // A second call of the application changes nothing.
            .ignore(OUTPUT_SHUT, Event.SHUT_OUTPUT)
            .ignore(ENDED, Event.SHUT_OUTPUT)
            .ignore(LOST, Event.SHUT_OUTPUT)
            .ignore(CLOSED, Event.values())
            .otherwiseNever()
            .build();

    /** Whether data of the application may be sent. */
    boolean sends() {
        return this == OPEN || this == INPUT_ENDED;
    }

    /** Whether nothing more is exchanged with the peer. */
    public boolean over() {
        return this == CLOSED || this == LOST;
    }

    /** Content of docs/generated/stream-socket.mmd. */
    static String mermaid() {
        return "%% Generated from StreamState; do not edit.\nstateDiagram-v2\n" + TABLE.mermaid("");
    }
}
