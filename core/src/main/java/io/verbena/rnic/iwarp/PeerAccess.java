package io.verbena.rnic.iwarp;

import io.verbena.base.TransitionTable;

/**
 * Whether the peer of a queue pair, which accesses memory of this side directly, does more than it may, and what waits for that.
 * It is independent of the phase: a connection limits its peer, or waits for it, while it is open and while a side closes it.
 * The engine changes it, any thread reads it.
 */
final class PeerAccess {

    /** The states. */
    enum State {
        /** The peer uses the rights that it has. */
        WITHIN_RIGHTS,
        /** The peer may still use rights that it does not have any more. */
        LIMITING,
        /** The queue pair was to end, but its peer is still inside memory of this side, or its work is not flushed yet. */
        INSIDE
    }

    /** What changes it. */
    enum Event {
        /** The peer lost rights that it still uses. */
        LIMIT,
        /** The peer does not use rights any more that it does not have. */
        LIMITED,
        /** The queue pair is to end, and its peer accesses its memory. */
        END_WAITS,
        /** The work was flushed, as far as the completion queues have space: the peer accesses nothing. */
        FLUSHED
    }

    /** All cells. */
    static final TransitionTable<State, Event> TABLE = TransitionTable.of(State.class, Event.class)
            .go(State.WITHIN_RIGHTS, Event.LIMIT, State.LIMITING)
            .go(State.WITHIN_RIGHTS, Event.END_WAITS, State.INSIDE)
            .ignore(State.WITHIN_RIGHTS, Event.LIMITED, Event.FLUSHED)
            .go(State.LIMITING, Event.LIMITED, State.WITHIN_RIGHTS)
            .go(State.LIMITING, Event.END_WAITS, State.INSIDE)
            .go(State.LIMITING, Event.FLUSHED, State.WITHIN_RIGHTS)
            .ignore(State.LIMITING, Event.LIMIT)
            .go(State.INSIDE, Event.FLUSHED, State.WITHIN_RIGHTS)
            .ignore(State.INSIDE, Event.LIMIT, Event.LIMITED, Event.END_WAITS)
            .build();

    private final Runnable onWithinRights;
    private volatile State state = State.WITHIN_RIGHTS;

    /** @param onWithinRights wakes what waits for that state */
    PeerAccess(Runnable onWithinRights) {
        this.onWithinRights = onWithinRights;
    }

    State state() {
        return state;
    }

    boolean is(State which) {
        return state == which;
    }

    void on(Event event) {
        State before = state;
        State next = TABLE.next(before, event);
        state = next;
        if (before != next && next == State.WITHIN_RIGHTS) {
            onWithinRights.run();
        }
    }
}
