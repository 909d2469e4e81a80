package io.verbena.sockets.protocol;

import io.verbena.base.TransitionTable;

/** What the peer has reported of the end of the stream. */
enum PeerEnd {
    /** It sends and reads. */
    SENDS,
    /** It sends no more data, and reads. */
    SHUT,
    /** It neither sends nor reads. */
    GONE;

    /** What changes it. */
    enum Event {
        SHUTDOWN,
        DISCONNECT
    }

    static final TransitionTable<PeerEnd, Event> TABLE = TransitionTable.of(PeerEnd.class, Event.class)
            .go(SENDS, Event.SHUTDOWN, SHUT)
            .go(SENDS, Event.DISCONNECT, GONE)
            .go(SHUT, Event.DISCONNECT, GONE)
            // What a peer says twice, or after its end, changes nothing.
            .ignore(SHUT, Event.SHUTDOWN)
            .ignore(GONE, Event.SHUTDOWN, Event.DISCONNECT)
            .otherwiseNever()
            .build();

    PeerEnd next(Event event) {
        return TABLE.next(this, event);
    }
}
