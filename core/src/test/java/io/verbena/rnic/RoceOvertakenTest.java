package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The peer disconnects, and its last acknowledgement arrives after that or not at all. */
class RoceOvertakenTest {

    private static final long SLOW_ROUND_TRIP_NS = 100_000_000;
    private static final int RC_ACKNOWLEDGE = 0x11;

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair;

    RoceOvertakenTest() throws IOException {
        pair = new Pair(world).connect();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void sendThenPeerDisconnects() {
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        world.packets.holds = packet -> (packet[0] & 0xff) == RC_ACKNOWLEDGE;
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 64, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        pair.fromB.disconnect();
        world.settle();
        assertEquals(List.of(), pair.a.polled(), "the acknowledgement may still come");
    }

    @Test
    void disconnectOvertakesTheAcknowledgement_workSucceeds() {
        sendThenPeerDisconnects();
        world.packets.release();
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
    }

    @Test
    void acknowledgementIsLost_workIsFlushedAfterAWhile() {
        sendThenPeerDisconnects();
        world.advance(SLOW_ROUND_TRIP_NS);
        world.settle();
        assertEquals(List.of("2 FLUSHED"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
    }
}
