package io.verbena.sockets.ring;

import io.verbena.base.TransitionTable;

/** The life of a stream of two rings, as one side sees it: the two directions of it, and who has ended them. */
public enum RingState {
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
    /** The connection was reset: what has arrived is read first. */
    LOST,
    /** This side has closed the socket. */
    CLOSED;

    /** What changes the state. */
    enum Event {
        SHUT_OUTPUT,
        /** The peer sends no more. */
        PEER_SHUT,
        /** The peer has closed the socket, or its process has ended, and had read everything. */
        PEER_CLOSED,
        /** The peer has reset the connection, has ended with bytes that it had not read, or has violated the protocol. */
        PEER_RESET,
        CLOSE
    }

    static final TransitionTable<RingState, Event> TABLE = TransitionTable.of(RingState.class, Event.class)
            .go(OPEN, Event.SHUT_OUTPUT, OUTPUT_SHUT)
            .go(OPEN, Event.PEER_SHUT, INPUT_ENDED)
            .go(OPEN, Event.PEER_CLOSED, PEER_GONE)
            .go(OPEN, Event.PEER_RESET, LOST)
            .go(OPEN, Event.CLOSE, CLOSED)
            .ignore(OUTPUT_SHUT, Event.SHUT_OUTPUT)
            .go(OUTPUT_SHUT, Event.PEER_SHUT, ENDED)
            .go(OUTPUT_SHUT, Event.PEER_CLOSED, ENDED)
            .go(OUTPUT_SHUT, Event.PEER_RESET, LOST)
            .go(OUTPUT_SHUT, Event.CLOSE, CLOSED)
            .go(INPUT_ENDED, Event.SHUT_OUTPUT, ENDED)
            .ignore(INPUT_ENDED, Event.PEER_SHUT)
            .go(INPUT_ENDED, Event.PEER_CLOSED, PEER_GONE)
            .go(INPUT_ENDED, Event.PEER_RESET, LOST)
            .go(INPUT_ENDED, Event.CLOSE, CLOSED)
            // Nothing is left that a peer could take away.
            .ignore(ENDED, Event.SHUT_OUTPUT, Event.PEER_SHUT, Event.PEER_CLOSED, Event.PEER_RESET)
            .go(ENDED, Event.CLOSE, CLOSED)
            .go(PEER_GONE, Event.SHUT_OUTPUT, ENDED)
            .ignore(PEER_GONE, Event.PEER_SHUT, Event.PEER_CLOSED)
            .go(PEER_GONE, Event.PEER_RESET, LOST)
            .go(PEER_GONE, Event.CLOSE, CLOSED)
            .ignore(LOST, Event.SHUT_OUTPUT, Event.PEER_SHUT, Event.PEER_CLOSED, Event.PEER_RESET)
            .go(LOST, Event.CLOSE, CLOSED)
            .ignore(CLOSED, Event.values())
            .otherwiseNever()
            .build();

    /** Whether bytes of the program may be sent. */
    boolean sends() {
        return this == OPEN || this == INPUT_ENDED;
    }

    /** Whether the end of the stream follows what has arrived. */
    boolean inputEnds() {
        return this == INPUT_ENDED || this == ENDED || this == PEER_GONE;
    }

    /** Content of docs/generated/stream-ring.mmd. */
    static String mermaid() {
        return "%% Generated from RingState; do not edit.\nstateDiagram-v2\n" + TABLE.mermaid("");
    }
}
