package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.Addresses;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Icrc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that restart with the same address, and reports of the network that say so falsely. */
class RoceRestartTest {

    private static final InetSocketAddress A = ManualWorld.roceAddress(1);
    private static final InetSocketAddress B = ManualWorld.roceAddress(2);

    /** Of the Local Communication ID in a REQ: after BTH, DETH and the MAD header. */
    private static final int LOCAL_COMM_ID_AT = 12 + 8 + 24;

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    private static void sign(byte[] packet, InetSocketAddress from, InetSocketAddress to) {
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(from.getAddress()), Addresses.low(from.getAddress()), from.getPort())
                .target(Addresses.high(to.getAddress()), Addresses.low(to.getAddress()), to.getPort());
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
    }

    private void reportAnything() {
        for (int i = 0; i < 20; i++) {
            world.packets.reportUnreachable(A, B);
            world.packets.reportUnreachable(B, A);
            world.packets.reportUnreachable(B, ManualWorld.roceAddress(3));
            world.packets.reportUnreachable(B, new InetSocketAddress(A.getAddress(), 9));
        }
    }

    @Test
    void connected_reportsOfAnUnreachablePeer_haveNoEffect() throws IOException {
        pair.connect();
        for (int i = 0; i < 10; i++) {
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 5_000);
            pair.a.queuePair.postSend(2, pair.a.memory, 0, 5_000, WrFlags.SIGNALLED);
            pair.a.queuePair.postRead(3, pair.a.memory, 0, 5_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            reportAnything();
            world.round();
            reportAnything();
            world.settle();
            assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        }
        reportAnything();
        world.advance(10_000_000_000L);
        assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic));
    }

    @Test
    void peerRestarts_oldConnectionFails_andTheNewPeerConnects() throws IOException {
        pair.connect();
        pair.a.rnic.pollAsyncEvents(Duration.ZERO);
        SoftRnic restarted = world.restarted(pair.a.rnic, 1);
        Pair.Side reborn = new Pair.Side(restarted, 64, options -> options);
        Pair.Side fresh = new Pair.Side(pair.b.rnic, 64, options -> options);
        Pair.connect(world, reborn, fresh);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.b.queuePair.postSend(2, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        fresh.queuePair.postReceive(3, fresh.memory, 0, 8);
        reborn.queuePair.postSend(4, reborn.memory, 0, 8, WrFlags.SIGNALLED);
        world.advance(6_000_000_000L);
        assertEquals(List.of("2 RETRY_EXCEEDED", "1 FLUSHED"), pair.b.polled());
        assertTrue(pair.fromB.state().ended());
        assertEquals(List.of("3 SUCCESS"), fresh.polled());
        assertEquals(List.of("4 SUCCESS"), reborn.polled());
    }

    /** The restarted peer happens to choose the same queue pair number: its REQ shows that the connection is stale. */
    @Test
    void peerRestarts_requestOfTheSameQueuePair_endsTheStaleConnection() throws IOException {
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        pair.connect();
        world.packets.tap = Optional.empty();
        byte[] request = seen.getFirst();
        SoftRnic restarted = world.restarted(pair.a.rnic, 1);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        request[LOCAL_COMM_ID_AT] ^= 0x55;
        sign(request, A, B);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            world.packets.inject(A, B, request);
            world.settle();
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty(), "the request is rejected");
            assertNotEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
            world.advance(10_000_000_000L);
            assertTrue(pair.fromB.state().ended());
            assertEquals(List.of("1 FLUSHED"), pair.b.polled());
            Pair.Side reborn = new Pair.Side(restarted, 64, options -> options);
            Connection again =
                    restarted.startConnect(reborn.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().accept(pair.fresh(pair.b));
            again.awaitEstablished(Pair.SECOND);
        }
    }
}
