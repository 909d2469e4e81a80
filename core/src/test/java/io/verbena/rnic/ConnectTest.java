package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Set-up, rejection and end of connections, as every provider must do them. */
@ParameterizedClass
@EnumSource(ProviderWorld.class)
public class ConnectTest {

    private static final ConnectionOptions DEFAULTS = ConnectionOptions.defaults();
    private static final Duration SECOND = Pair.SECOND;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ProviderWorld provider;
    private final ManualWorld world;

    ConnectTest(ProviderWorld provider) {
        this.provider = provider;
        world = provider.open();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ConnectionException failure(Connection connection) {
        return assertThrows(ConnectionException.class, () -> connection.awaitEstablished(MINUTE));
    }

    // Set-up.

    @Test
    void connected_bothSides_knowEachOther() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withReads(5, 7));
        List<ConnectionState> observed = new ArrayList<>();
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(
                    pair.a.queuePair, listener.localAddress(), DEFAULTS.withPrivateData(bytes("hello")));
            connection.onStateChange((which, state) -> observed.add(state));
            assertEquals(ConnectionState.CONNECTING, connection.state());
            assertFalse(pair.a.queuePair.state().maySend());
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertArrayEquals(bytes("hello"), request.privateData());
            assertEquals(5, request.inboundReads());
            assertEquals(7, request.outboundReads());
            Connection accepted = request.accept(pair.b.queuePair, bytes("welcome"));
            connection.awaitEstablished(SECOND);

            assertArrayEquals(bytes("welcome"), connection.privateData());
            assertArrayEquals(bytes("hello"), accepted.privateData());
            assertEquals(connection.localAddress(), accepted.remoteAddress());
            assertEquals(connection.remoteAddress(), accepted.localAddress());
            assertEquals(provider.connected(), pair.a.queuePair.state());
            assertEquals(provider.connected(), pair.b.queuePair.state());
            QueuePairAttributes attributes = pair.a.queuePair.query();
            assertSame(pair.a.domain, attributes.protectionDomain());
            assertEquals(5, attributes.inboundReads());
            assertEquals(5, attributes.outboundReads(), "limited by the peer");
            assertEquals("", connection.reason());
            connection.close();
            world.settle();
        }
        assertEquals(
                List.of(
                        ConnectionState.CONNECTING,
                        ConnectionState.ESTABLISHED,
                        ConnectionState.CLOSING,
                        ConnectionState.CLOSED),
                observed);
        assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE), ManualWorld.events(pair.a.rnic));
        assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE), ManualWorld.events(pair.b.rnic));
    }

    @Test
    void nothingListens_isRefusedAndCanBeRetried() throws IOException {
        Pair pair = new Pair(world);
        InetSocketAddress nowhere = provider.nowhere(world);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, nowhere, DEFAULTS);
        assertEquals(Kind.REFUSED, failure(connection).kind());
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(provider.unconnected(), pair.a.queuePair.state());
        pair.connect();
        pair.b.queuePair.postSend(2, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertThrows(IllegalStateException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, nowhere, DEFAULTS));
    }

    @Test
    void connecting_secondConnect_isRefused() {
        Pair pair = new Pair(world);
        InetSocketAddress silent = provider.silent(world);
        pair.a.rnic.startConnect(pair.a.queuePair, silent, DEFAULTS);
        assertThrows(IllegalStateException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, silent, DEFAULTS));
    }

    @Test
    void hostSilent_connect_timesOutAndLeavesNothing() {
        Pair pair = new Pair(world);
        int members = pair.a.rnic.engine(0).members();
        long before = world.nowNs;
        Connection connection = pair.a.rnic.startConnect(
                pair.a.queuePair, provider.silent(world), DEFAULTS.withTimeout(Duration.ofMillis(70)));
        ConnectionException shorter =
                assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Duration.ofMillis(20)));
        assertEquals(Kind.TIMED_OUT, shorter.kind());
        assertEquals(ConnectionState.CONNECTING, connection.state());
        assertEquals(Kind.TIMED_OUT, failure(connection).kind());
        assertEquals(70_000_000, world.nowNs - before);
        assertEquals(provider.unconnected(), pair.a.queuePair.state());
        assertEquals(members, pair.a.rnic.engine(0).members());
    }

    @Test
    void wrongOptions_areRefusedAtOnce() {
        Pair pair = new Pair(world);
        InetSocketAddress there = provider.nowhere(world);
        byte[] tooMuch = new byte[provider.mostRequestBytes() + 1];
        List<ConnectionOptions> wrong = List.of(DEFAULTS.withTimeout(Duration.ZERO), DEFAULTS.withPrivateData(tooMuch));
        for (ConnectionOptions options : wrong) {
            assertThrows(
                    IllegalArgumentException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, there, options));
        }
        assertThrows(IllegalArgumentException.class, () -> pair.b.rnic.startConnect(pair.a.queuePair, there, DEFAULTS));
        assertTrue(pair.a.queuePair.connection().isEmpty());
        assertEquals(provider.unconnected(), pair.a.queuePair.state());
    }

    @Test
    void loopback_oneRnic_connectsToItself() throws IOException {
        SoftRnic rnic = world.rnic();
        Pair.Side side = new Pair.Side(rnic, 64, o -> o);
        QueuePair other = side.domain.createQueuePair(side.cq);
        try (Listener listener = rnic.listen(world.address())) {
            Connection connection = rnic.startConnect(side.queuePair, listener.localAddress(), DEFAULTS);
            listener.nextRequest(SECOND).orElseThrow().accept(other);
            connection.awaitEstablished(SECOND);
            other.postReceive(1, side.memory, 0, 100);
            side.queuePair.postSend(2, side.memory, 200, 100, WrFlags.SIGNALLED);
            world.settle();
            List<String> polled = side.polled();
            assertTrue(polled.size() == 2 && polled.containsAll(List.of("1 SUCCESS", "2 SUCCESS")), polled.toString());
        }
    }

    // Rejection.

    @Test
    void requested_reject_carriesThePrivateData() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            int there = pair.b.rnic.engine(0).members();
            int here = pair.a.rnic.engine(0).members();
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            byte[] tooMuch = new byte[provider.mostRejectionBytes() + 1];
            assertThrows(IllegalArgumentException.class, () -> request.reject(tooMuch));
            request.reject(bytes("full"));
            ConnectionException e = failure(connection);
            assertEquals(Kind.REJECTED, e.kind());
            assertArrayEquals(bytes("full"), e.privateData());
            assertArrayEquals(bytes("full"), connection.privateData());
            assertEquals(ConnectionState.REJECTED, connection.state());
            assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
            assertThrows(IllegalStateException.class, () -> request.startAccept(pair.b.queuePair, DEFAULTS));
            assertEquals(provider.unconnected(), pair.b.queuePair.state());
            world.advance(10_000_000_000L);
            assertEquals(there, pair.b.rnic.engine(0).members(), "no resource is held for the peer");
            assertEquals(here, pair.a.rnic.engine(0).members());
        }
    }

    @Test
    void acceptWithAQueuePairInUse_isRejectedAndTheRequestRemains() throws IOException {
        Pair pair = new Pair(world).connect();
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            QueuePair second = pair.fresh(pair.a);
            Connection connection = pair.a.rnic.startConnect(second, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertThrows(IllegalStateException.class, () -> request.startAccept(pair.b.queuePair, DEFAULTS));
            request.accept(pair.fresh(pair.b));
            connection.awaitEstablished(SECOND);
        }
    }

    @Test
    void listenerClosed_untakenRequests_areRejectedAndLaterOnesRefused() throws IOException {
        Pair pair = new Pair(world);
        Listener listener = pair.b.rnic.listen(world.address());
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS);
        world.settle();
        listener.close();
        assertEquals(Kind.REJECTED, failure(connection).kind());
        Connection after = pair.a.rnic.startConnect(pair.fresh(pair.a), address, DEFAULTS);
        assertEquals(Kind.REFUSED, failure(after).kind());
    }

    // Set-ups that end early.

    @Test
    void connectAndAccept_interrupted_areUndoneAndQueuePairsUsable() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Thread.currentThread().interrupt();
            assertThrows(
                    WaitInterruptedException.class,
                    () -> pair.a.rnic.connect(pair.a.queuePair, listener.localAddress()));
            assertTrue(Thread.interrupted(), "the interrupt status remains set");
            Connection orphan = pair.a.queuePair.connection().orElseThrow();
            assertEquals(ConnectionState.FAILED, orphan.state());
            assertEquals(provider.unconnected(), pair.a.queuePair.state());
            world.settle();
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty(), "the connection attempt was cancelled");

            Connection opening = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            Thread.currentThread().interrupt();
            assertThrows(WaitInterruptedException.class, () -> request.accept(pair.b.queuePair));
            assertTrue(Thread.interrupted());
            assertTrue(pair.b.queuePair.connection().orElseThrow().state().ended());
            world.advance(40_000_000_000L);
            assertTrue(opening.state().ended(), "the peer's " + opening);
        }
    }

    @Test
    void requestWithdrawn_afterItIsTaken_acceptFailsAndFlushes() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            connection.disconnect();
            world.settle();
            pair.b.queuePair.postReceive(9, pair.b.memory, 0, 8);
            Connection late = request.startAccept(pair.b.queuePair, DEFAULTS);
            assertEquals(Kind.FAILED, failure(late).kind());
            assertEquals(ConnectionState.FAILED, connection.state());
            assertTrue(pair.b.queuePair.state().failed());
            assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        }
    }

    @Test
    void connecting_queuePairClosed_connectionFails() {
        Pair pair = new Pair(world);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, provider.silent(world), DEFAULTS);
        pair.a.queuePair.postReceive(5, pair.a.memory, 0, 8);
        pair.a.queuePair.close();
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(List.of("5 FLUSHED"), pair.a.polled());
        assertFalse(connection.reason().isEmpty());
    }

    // Ends.

    @Test
    void disconnect_completesPostedWorkFirst() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 100_000);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        pair.fromA.disconnect();
        assertTrue(pair.fromA.awaitClosed(SECOND));
        world.settle();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS", "2 FLUSHED"), pair.b.polled());
    }

    @Test
    void rnicClosed_liveConnections_peersAreNotified() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.rnic.close();
        world.settle();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
        assertEquals(provider.unconnected(), new Pair.Side(world.rnic(), 4, o -> o).queuePair.state());
    }

    @Test
    void manyCycles_leakNothing() throws IOException {
        Pair pair = new Pair(world);
        int here = pair.a.rnic.engine(0).members();
        int there = pair.b.rnic.engine(0).members();
        for (int i = 0; i < 400; i++) {
            QueuePair left = pair.fresh(pair.a);
            QueuePair right = pair.fresh(pair.b);
            try (Listener listener = pair.b.rnic.listen(world.address())) {
                Connection from = pair.a.rnic.startConnect(left, listener.localAddress(), DEFAULTS);
                Connection to = listener.nextRequest(SECOND).orElseThrow().accept(right);
                from.awaitEstablished(SECOND);
                right.postReceive(1, pair.b.memory, 0, 8);
                left.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
                world.settle();
                switch (i % 4) {
                    case 0 -> from.close();
                    case 1 -> to.disconnect();
                    case 2 -> left.close();
                    default -> right.close();
                }
                world.settle();
                assertTrue(from.state().ended() && to.state().ended(), i + ": " + from + " / " + to);
            }
            left.close();
            right.close();
            assertEquals(List.of("2 SUCCESS"), pair.a.polled());
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
            ManualWorld.events(pair.a.rnic);
            ManualWorld.events(pair.b.rnic);
        }
        assertEquals(here, pair.a.rnic.engine(0).members());
        assertEquals(there, pair.b.rnic.engine(0).members());
        assertEquals(1, pair.a.rnic.context().queuePairs().size());
        assertEquals(1, pair.b.rnic.context().queuePairs().size());
    }
}
