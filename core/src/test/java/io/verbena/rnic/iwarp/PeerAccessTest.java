package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.iwarp.PeerAccess.Event;
import io.verbena.rnic.iwarp.PeerAccess.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which event ends which wait for the peer of a queue pair. */
class PeerAccessTest {

    private int wakes;

    private final PeerAccess access = new PeerAccess(() -> wakes++);

    @Test
    void limiting_peerKeepsToItsRights_wakesTheWaitingThreadOnce() {
        access.on(Event.LIMIT);
        assertTrue(access.is(State.LIMITING));
        access.on(Event.LIMIT);
        assertEquals(0, wakes);
        access.on(Event.LIMITED);
        access.on(Event.LIMITED);
        assertTrue(access.is(State.WITHIN_RIGHTS));
        assertEquals(1, wakes);
    }

    @Test
    void limiting_queuePairEnds_waitsForTheFlush() {
        access.on(Event.LIMIT);
        access.on(Event.END_WAITS);
        access.on(Event.LIMITED);
        assertTrue(access.is(State.INSIDE));
        assertEquals(0, wakes);
        access.on(Event.FLUSHED);
        assertTrue(access.is(State.WITHIN_RIGHTS));
        assertEquals(1, wakes);
    }

    @ParameterizedTest
    @EnumSource
    void flush_endsEveryWait(State state) {
        assertEquals(State.WITHIN_RIGHTS, PeerAccess.TABLE.next(state, Event.FLUSHED));
    }
}
