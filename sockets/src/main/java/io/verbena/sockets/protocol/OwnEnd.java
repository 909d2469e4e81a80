package io.verbena.sockets.protocol;

import io.verbena.base.TransitionTable;

/** What this side has reported its peer of the end of the stream, and what of a reset has been posted. */
enum OwnEnd {
    /** Nothing. */
    UNREPORTED,
    /** This side sends no more data. */
    SHUT,
    /** The socket is closed, and how many bytes it has left. */
    REST,
    /** The program has reset the stream: data that the peer accepts are still posted. */
    RESETTING,
    /** The Read that follows the last data of a reset was posted. */
    CONFIRMING,
    /** This side neither sends nor reads: the last message. */
    DISCONNECTED;

    /** What changes it. */
    enum Event {
        SHUTDOWN,
        REST,
        RESET,
        CONFIRM,
        DISCONNECT
    }

    static final TransitionTable<OwnEnd, Event> TABLE = TransitionTable.of(OwnEnd.class, Event.class)
            .go(UNREPORTED, Event.SHUTDOWN, SHUT)
            .go(UNREPORTED, Event.REST, REST)
            .go(UNREPORTED, Event.RESET, RESETTING)
            .go(UNREPORTED, Event.DISCONNECT, DISCONNECTED)
            .go(SHUT, Event.RESET, RESETTING)
            .go(SHUT, Event.DISCONNECT, DISCONNECTED)
            .go(REST, Event.RESET, RESETTING)
            .go(REST, Event.DISCONNECT, DISCONNECTED)
            .go(RESETTING, Event.CONFIRM, CONFIRMING)
            .go(RESETTING, Event.DISCONNECT, DISCONNECTED)
            // The program resets what has ended.
            .ignore(RESETTING, Event.RESET)
            .ignore(CONFIRMING, Event.RESET)
            .ignore(DISCONNECTED, Event.RESET)
            .otherwiseNever()
            .build();

    OwnEnd next(Event event) {
        return TABLE.next(this, event);
    }

    /** Whether the program has reset the stream, and nothing but what belongs to that is posted. */
    boolean resets() {
        return this == RESETTING || this == CONFIRMING;
    }

    /** Whether all work is signalled, because its completion ends something. */
    boolean signals() {
        return this == SHUT || this == CONFIRMING || this == DISCONNECTED;
    }
}
