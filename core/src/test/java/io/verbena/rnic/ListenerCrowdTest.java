package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryNetwork;
import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PeerNetwork;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A listener during a flood of connections from one address: which peers are kept, which are dropped, and what is
 * reported.
 */
class ListenerCrowdTest {

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    private List<MemoryStream> dial(String from, Listener listener, int count) {
        world.network.addresses = MemoryNetwork.host(from);
        List<MemoryStream> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            peers.add(world.network.dial(listener.localAddress()));
        }
        return peers;
    }

    private Connection connect(String from, Listener listener) {
        world.network.addresses = MemoryNetwork.host(from);
        return pair.a.rnic.startConnect(
                pair.fresh(pair.a),
                listener.localAddress(),
                ConnectionOptions.defaults().withTimeout(Pair.SECOND));
    }

    private List<AsyncEvent> observed() {
        return pair.b.rnic.pollAsyncEvents(Duration.ZERO);
    }

    @Test
    void flood_dropsItsOwnOldest_andIsReportedWithACount() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            List<MemoryStream> honest = dial("neighbour", listener, 10);
            List<MemoryStream> flood = dial("flood", listener, IwarpView.MAX_HALF_OPEN);
            assertEquals(IwarpView.MAX_HALF_OPEN, IwarpView.halfOpenCount(listener));
            assertTrue(honest.stream().noneMatch(each -> each.in().ended()));
            for (int i = 0; i < flood.size(); i++) {
                assertEquals(i < 10, flood.get(i).in().ended(), "peer " + i + " of the flood");
            }
            assertEquals(10, IwarpView.droppedCount(listener));
            List<AsyncEvent> observed = observed();
            assertEquals(1, observed.size());
            assertEquals(AsyncEventType.SET_UP_DROPPED, observed.getFirst().type());
            assertSame(listener, observed.getFirst().subject());
            assertEquals(
                    "1024 peers are in set-up at memory:50000: the oldest of flood, which holds 1014 places, was"
                            + " dropped; 1 dropped in total.",
                    observed.getFirst().sentence());
            world.advance(1_000_000_000L);
            dial("flood", listener, 1);
            assertEquals(List.of(), observed(), "reports are rate-limited");
        }
    }

    /** An MPA Request without private data (RFC 5044 section 7.1.1, revision 2). */
    private static ByteBuffer mpaRequest() {
        return ByteBuffer.allocateDirect(24)
                .put("MPA ID Req Frame".getBytes(StandardCharsets.ISO_8859_1))
                .put(new byte[] {0x10, 2, 0, 4, 0, 1, 0, 1})
                .flip();
    }

    @Test
    void slowPeer_sendsItsRequestAfterEightSeconds_isAccepted() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream slow = world.network.dial(listener.localAddress());
            world.settle();
            world.advance(8_000_000_000L);
            slow.write(mpaRequest());
            world.settle();
            Connection accepted = listener.nextRequest(Duration.ZERO)
                    .orElseThrow()
                    .startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertTrue(slow.in().size() > 0, "the Reply");
            accepted.close();
        }
    }

    /** Each from a network of its own, so that none of them holds more places than another. */
    @Test
    void tenThousandSilentPeers_displaceEachOther_andNoneThatHasAsked() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection honest = connect("office", listener);
            world.settle();
            for (int i = 0; i < 10_000; i++) {
                dial("stranger-" + i, listener, 1);
            }
            world.settle();
            assertEquals(IwarpView.MAX_HALF_OPEN, IwarpView.halfOpenCount(listener));
            assertEquals(IwarpView.MAX_HALF_OPEN, pair.b.rnic.engine(0).members(), "what an engine serves");
            ConnectionRequest request = listener.nextRequest(Duration.ZERO).orElseThrow();
            request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.ESTABLISHED, honest.state());
            world.advance(31_000_000_000L);
            assertEquals(0, IwarpView.halfOpenCount(listener));
        }
    }

    @Test
    void newPeerDuringAFlood_isSetUp() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            dial("flood", listener, 2 * IwarpView.MAX_HALF_OPEN);
            Connection honest = connect("neighbour", listener);
            world.settle();
            dial("flood", listener, 2 * IwarpView.MAX_HALF_OPEN);
            ConnectionRequest request = listener.nextRequest(Duration.ZERO).orElseThrow();
            request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.ESTABLISHED, honest.state());
        }
    }

    @Test
    void floodOfTheSameAddress_dropsPeersWithoutARequestFirst() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection honest = connect("office", listener);
            world.settle();
            dial("office", listener, 2 * IwarpView.MAX_HALF_OPEN);
            ConnectionRequest request = listener.nextRequest(Duration.ZERO).orElseThrow();
            request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.ESTABLISHED, honest.state());
        }
    }

    @Test
    void displacedRequest_accept_failsWithASentence() throws IOException {
        ListenOptions options = ListenOptions.defaults().withBacklog(2 * IwarpView.MAX_HALF_OPEN);
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            connect("flood", listener);
            ConnectionRequest first = listener.nextRequest(Pair.SECOND).orElseThrow();
            for (int i = 1; i < IwarpView.MAX_HALF_OPEN; i++) {
                connect("flood", listener);
            }
            world.settle();
            connect("flood", listener);
            world.settle();
            Connection late = first.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.FAILED, late.state());
            assertTrue(late.reason().contains("The request of the peer has ended"), late.reason());
        }
    }

    @Test
    void backlogFullOfOneAddress_acceptsAnotherAddress() throws IOException {
        ListenOptions options = ListenOptions.defaults().withBacklog(4);
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            List<Connection> flood = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                flood.add(connect("flood", listener));
                world.settle();
            }
            assertEquals(ConnectionState.REJECTED, flood.get(4).state());
            assertEquals(
                    "The peer at memory:50000 rejected the connection: the backlog of the listener is full: 4 requests"
                            + " wait for the application.",
                    flood.get(4).reason());
            List<Connection> honest = List.of(connect("neighbour", listener), connect("neighbour", listener));
            world.settle();
            assertEquals(ConnectionState.REJECTED, flood.get(3).state());
            assertEquals(ConnectionState.REJECTED, flood.get(2).state());
            assertEquals(ConnectionState.CONNECTING, honest.getLast().state());
            Connection third = connect("neighbour", listener);
            world.settle();
            assertEquals(ConnectionState.REJECTED, third.state(), "each network holds two of four places");
            assertEquals("flood", host(listener));
            assertEquals("neighbour", host(listener));
            assertEquals("flood", host(listener));
            assertEquals("neighbour", host(listener));
            assertFalse(listener.nextRequest(Duration.ZERO).isPresent());
        }
    }

    @Test
    void networksTakeTurns_eachInTheOrderOfArrival() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            for (int i = 0; i < 20; i++) {
                connect("flood", listener);
                world.settle();
            }
            assertEquals("flood", host(listener));
            for (String each : List.of("office", "neighbour", "office")) {
                connect(each, listener);
                world.settle();
            }
            assertEquals(
                    List.of("flood", "office", "neighbour", "flood", "office", "flood"),
                    Stream.generate(() -> host(listener)).limit(6).toList());
        }
    }

    private static String host(Listener listener) {
        return PeerNetwork.of(listener.nextRequest(Duration.ZERO).orElseThrow().remoteAddress())
                .name();
    }
}
