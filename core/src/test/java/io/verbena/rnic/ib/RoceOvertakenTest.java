package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The peer disconnects, and its last acknowledgement arrives after that or not at all. */
class RoceOvertakenTest {

    private static final long SLOW_ROUND_TRIP_NS = 100_000_000;
    private static final int RC_ACKNOWLEDGE = 0x11;
    private static final int UD_SEND_ONLY = 0x64;
    private static final int DREP = 0x16;

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

    /** The answer to a DREQ is lost, and the RNIC that sent it is closed at once. */
    @Test
    void answerToDisconnectIsLost_rnicCloses_peerEndsSoon() {
        AtomicInteger answers = new AtomicInteger();
        world.packets.holds = packet -> attribute(packet) == DREP && answers.getAndIncrement() == 0;
        pair.fromA.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(ConnectionState.CLOSING, pair.fromA.state(), "the answer is lost");
        long beganNs = world.nowNs;
        pair.b.rnic.close();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertTrue(world.nowNs - beganNs < SLOW_ROUND_TRIP_NS, "the RNIC closes in time");
    }

    @Test
    void peerHasNothingToRepeat_rnicCloses_atOnce() {
        pair.fromA.disconnect();
        world.settle();
        long beganNs = world.nowNs;
        pair.a.rnic.close();
        assertEquals(beganNs, world.nowNs);
    }

    /** The attribute of a datagram of connection management, after BTH, DETH and the first 16 bytes of its header. */
    private static int attribute(byte[] packet) {
        return (packet[0] & 0xff) == UD_SEND_ONLY && packet[7] == 1 ? packet[36] << 8 | packet[37] & 0xff : 0;
    }
}
