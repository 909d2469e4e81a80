package io.verbena.tcp.link;

import io.verbena.base.StateMachine;
import io.verbena.base.TransitionTable;

/**
 * The states of RFC 4861 section 7.3.2, and UNREACHABLE of RFC 7048, for ARP as well. A hardware address that was known once is used in all of them
 * but the first: doubt and silence are reasons to ask, and only an answer is a reason to send elsewhere.
 */
enum NeighborState {

    /** The hardware address is not known; all stations are asked. */
    INCOMPLETE,
    /** An answer has confirmed the hardware address. */
    REACHABLE,
    /** The hardware address is checked when it is used. */
    STALE,
    /** It is in use, and checked soon. */
    DELAY,
    /** The station is asked. */
    PROBE,
    /** The station does not answer; all stations are asked, as long as packets are sent. */
    UNREACHABLE;

    /** What happens to an entry of the cache. */
    enum Event {
        /** A confirmation is old, and a packet is sent. */
        EXPIRED,
        /** The check was put off. */
        DELAYED,
        /** A request was sent. */
        ASKED,
        /** A transport gets no answers. */
        DOUBTED,
        /** No station has answered the requests. */
        SILENT,
        /** An answer states the hardware address. */
        ANSWERED,
        /** Another message states another hardware address than the known one. */
        STATED,
        /** An answer that must not replace the known hardware address states another one. */
        DISPUTED
    }

    private static final TransitionTable<NeighborState, Event> TABLE = TransitionTable.of(
                    NeighborState.class, Event.class)
            .go(INCOMPLETE, Event.ASKED, INCOMPLETE)
            .ignore(INCOMPLETE, Event.DOUBTED)
            .go(REACHABLE, Event.EXPIRED, STALE)
            .go(REACHABLE, Event.DISPUTED, STALE)
            .go(STALE, Event.DELAYED, DELAY)
            .go(STALE, Event.ASKED, PROBE)
            .ignore(STALE, Event.DISPUTED)
            .go(DELAY, Event.ASKED, PROBE)
            .ignore(DELAY, Event.DISPUTED)
            .go(PROBE, Event.ASKED, PROBE)
            .go(PROBE, Event.SILENT, UNREACHABLE)
            .ignore(PROBE, Event.DISPUTED)
            .go(UNREACHABLE, Event.ASKED, UNREACHABLE)
            .ignore(UNREACHABLE, Event.DOUBTED, Event.SILENT, Event.DISPUTED)
            .fromElsewhere(Event.DOUBTED, PROBE)
            .fromElsewhere(Event.ANSWERED, REACHABLE)
            .fromElsewhere(Event.STATED, STALE)
            .otherwiseNever()
            .build();

    static StateMachine<NeighborState, Event> start() {
        return new StateMachine<>(TABLE, INCOMPLETE);
    }

    /** The table, for documents. */
    static TransitionTable<NeighborState, Event> table() {
        return TABLE;
    }
}
