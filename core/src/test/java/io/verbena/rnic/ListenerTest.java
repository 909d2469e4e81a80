package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.iwarp.IwarpConnectTest;
import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The resources that a listener holds for unknown peers. */
class ListenerTest {

    private static final Duration SECOND = Pair.SECOND;

    private final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    public ManualWorld newWorld() {
        return new ManualWorld();
    }

    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    private Connection connect(Listener listener) {
        return pair.a.rnic.startConnect(
                pair.fresh(pair.a),
                listener.localAddress(),
                ConnectionOptions.defaults().withTimeout(SECOND));
    }

    @Test
    void backlogFull_nextRequest_isRejected() throws IOException {
        try (Listener listener =
                pair.b.rnic.listen(world.address(), ListenOptions.defaults().withBacklog(2))) {
            AtomicInteger ready = new AtomicInteger();
            listener.onReady(ready::incrementAndGet);
            List<Connection> connections = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                connections.add(connect(listener));
                world.settle();
            }
            assertEquals(ConnectionState.REJECTED, connections.get(2).state());
            assertEquals(ConnectionState.CONNECTING, connections.get(1).state());
            assertEquals(2, ready.get());
            assertTrue(listener.nextRequest(Duration.ZERO).isPresent());
            connections.add(connect(listener));
            world.settle();
            assertEquals(ConnectionState.CONNECTING, connections.get(3).state(), "the backlog has a free place again");
        }
    }

    @Test
    void requestUndecided_timePasses_isRejected() throws IOException {
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(Duration.ofMillis(100));
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            Connection looked = connect(listener);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            Connection unlooked = connect(listener);
            world.advance(200_000_000);
            assertEquals(ConnectionState.REJECTED, looked.state());
            assertEquals(ConnectionState.REJECTED, unlooked.state());
            assertEquals(Optional.empty(), listener.nextRequest(Duration.ZERO));
            Connection late = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            world.settle();
            assertEquals(ConnectionState.FAILED, late.state());
            world.advance(2_000_000_000);
            assertEquals(0, pair.b.rnic.engine(0).members());
        }
    }

    @Test
    void peerSendsNothing_timePasses_isClosed() throws IOException {
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(Duration.ofMillis(100));
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            MemoryStream mute = world.network.dial(listener.localAddress());
            world.settle();
            assertEquals(1, IwarpView.halfOpenCount(listener));
            world.advance(99_000_000);
            assertFalse(mute.in().ended());
            world.advance(2_000_000);
            assertTrue(mute.in().ended());
            assertEquals(0, IwarpView.halfOpenCount(listener));
            assertEquals(0, pair.b.rnic.engine(0).members());
        }
    }

    @Test
    void peerSendsGarbage_isClosedAtOnce() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            peer.write(IwarpConnectTest.direct("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
            world.settle();
            assertTrue(peer.in().ended());
            assertEquals(0, IwarpView.halfOpenCount(listener));
        }
    }

    @Test
    void peerEndsOrResets_beforeTheRequestIsTaken_requestIsGone() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = connect(listener);
            world.settle();
            connection.disconnect();
            world.settle();
            assertEquals(Optional.empty(), listener.nextRequest(Duration.ZERO));
            connect(listener);
            world.settle();
            world.network.streams.forEach(MemoryStream::reset);
            world.settle();
            assertEquals(Optional.empty(), listener.nextRequest(Duration.ZERO));
            assertEquals(0, pair.b.rnic.engine(0).members());
        }
    }

    @Test
    void flood_halfOpenPeers_areBounded() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            List<MemoryStream> flood = new ArrayList<>();
            for (int i = 0; i < IwarpView.MAX_HALF_OPEN + 10; i++) {
                flood.add(world.network.dial(listener.localAddress()));
            }
            assertEquals(IwarpView.MAX_HALF_OPEN, IwarpView.halfOpenCount(listener));
            assertFalse(flood.getLast().in().ended());
            assertTrue(flood.getFirst().in().ended());
        }
        world.settle();
        assertEquals(0, pair.b.rnic.engine(0).members());
    }

    @Test
    void close_untakenRequests_areRejectedAndTakenOnesRemain() throws IOException {
        Listener listener = pair.b.rnic.listen(world.address());
        Connection first = connect(listener);
        ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
        Connection second = connect(listener);
        world.settle();
        listener.close();
        listener.close();
        world.settle();
        assertTrue(listener.closed());
        assertEquals(ConnectionState.REJECTED, second.state());
        assertEquals(Optional.empty(), listener.nextRequest(SECOND));
        request.accept(pair.b.queuePair);
        world.settle();
        assertEquals(ConnectionState.ESTABLISHED, first.state());
        Connection none = connect(listener);
        world.settle();
        assertEquals(ConnectionState.FAILED, none.state());
    }

    @Test
    void addressInUse_listen_throwsTheSentence() throws IOException {
        InetSocketAddress address = world.address();
        try (Listener listener = pair.b.rnic.listen(address)) {
            assertEquals(address, listener.localAddress());
            assertThrows(IOException.class, () -> pair.a.rnic.listen(address));
        }
        pair.a.rnic.listen(address).close();
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.a.rnic.listen(address, ListenOptions.defaults().withBacklog(0)));
    }
}
