package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.PacketFaults;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections over the InfiniBand transport: set-up, rejection and end, in virtual time. */
class RoceConnectTest {

    private static final ConnectionOptions DEFAULTS = ConnectionOptions.defaults();
    private static final Duration SECOND = Pair.SECOND;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The port, and communication management. */
    private static final int PORT_MEMBERS = 2;

    private final ManualWorld world = ManualWorld.roce();

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

    private static List<AsyncEventType> events(Pair.Side side) {
        return side.rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::type)
                .toList();
    }

    @Test
    void connected_bothSides_knowEachOther() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withReads(5, 7));
        List<ConnectionState> observed = new ArrayList<>();
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(
                    pair.a.queuePair, listener.localAddress(), DEFAULTS.withPrivateData(bytes("hello")));
            connection.onStateChange((which, state) -> observed.add(state));
            assertEquals(InfinibandQueuePairState.INIT, pair.a.queuePair.state());
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertArrayEquals(bytes("hello"), request.privateData());
            assertEquals(5, request.inboundReads());
            assertEquals(7, request.outboundReads());
            Connection accepted = request.accept(pair.b.queuePair, bytes("welcome"));
            connection.awaitEstablished(SECOND);

            assertArrayEquals(bytes("welcome"), connection.privateData());
            assertEquals(connection.localAddress(), accepted.remoteAddress());
            assertEquals(connection.remoteAddress(), accepted.localAddress());
            assertEquals(InfinibandQueuePairState.RTS, pair.a.queuePair.state());
            assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
            QueuePairAttributes attributes = pair.a.queuePair.query();
            assertEquals(5, attributes.inboundReads());
            assertEquals(5, attributes.outboundReads(), "limited by the peer");
            assertEquals(pair.b.queuePair.number(), attributes.remoteNumber());
            assertEquals(1024, attributes.maxFrameBytes());
            assertEquals(
                    InetAddress.ofLiteral("10.0.0.2"),
                    attributes.path().orElseThrow().primary().address().orElseThrow());
            assertEquals(
                    attributes.path().orElseThrow().sendSequence(),
                    pair.b.queuePair.query().path().orElseThrow().receiveSequence());
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
        assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE), events(pair.a));
        assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE), events(pair.b));
        assertEquals(PORT_MEMBERS, pair.a.rnic.engine(0).members());
    }

    @Test
    void privateDataOfAnyLength_arrivesAsItWasSent() throws IOException {
        for (int length : new int[] {0, 1, 52}) {
            Pair pair = new Pair(world);
            byte[] data = new byte[length];
            try (Listener listener = pair.b.rnic.listen(world.address())) {
                Connection connection = pair.a.rnic.startConnect(
                        pair.a.queuePair, listener.localAddress(), DEFAULTS.withPrivateData(data));
                ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
                assertArrayEquals(data, request.privateData());
                request.reject(data);
                assertArrayEquals(data, failure(connection).privateData());
            }
        }
    }

    @Test
    void nothingListens_isRefusedAndCanBeRetried() throws IOException {
        Pair pair = new Pair(world);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        InetSocketAddress nowhere = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 7);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, nowhere, DEFAULTS);
        assertEquals(Kind.REFUSED, failure(connection).kind());
        assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
        pair.connect();
        pair.b.queuePair.postSend(2, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertThrows(IllegalStateException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, nowhere, DEFAULTS));
    }

    @Test
    void hostSilent_connect_timesOutAndLeavesNothing() {
        Pair pair = new Pair(world);
        long before = world.nowNs;
        Connection connection = pair.a.rnic.startConnect(
                pair.a.queuePair,
                new InetSocketAddress(InetAddress.ofLiteral("10.0.0.9"), 7),
                DEFAULTS.withTimeout(Duration.ofMillis(70)));
        assertEquals(Kind.TIMED_OUT, failure(connection).kind());
        assertEquals(70_000_000, world.nowNs - before);
        assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
        assertEquals(PORT_MEMBERS, pair.a.rnic.engine(0).members());
    }

    @Test
    void requested_reject_carriesThePrivateData() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertThrows(IllegalArgumentException.class, () -> request.reject(new byte[149]));
            request.reject(bytes("full"));
            ConnectionException e = failure(connection);
            assertEquals(Kind.REJECTED, e.kind());
            assertArrayEquals(bytes("full"), e.privateData());
            assertEquals(ConnectionState.REJECTED, connection.state());
            assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
            assertThrows(IllegalStateException.class, () -> request.startAccept(pair.b.queuePair, DEFAULTS));
            assertEquals(InfinibandQueuePairState.RESET, pair.b.queuePair.state());
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
    void requestWithdrawn_beforeItIsTaken_isGone() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Thread.currentThread().interrupt();
            assertThrows(
                    WaitInterruptedException.class,
                    () -> pair.a.rnic.connect(pair.a.queuePair, listener.localAddress()));
            assertTrue(Thread.interrupted(), "the interrupt status remains set");
            world.settle();
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty(), "the connection attempt was cancelled");
            assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
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
            assertEquals(InfinibandQueuePairState.ERR, pair.b.queuePair.state());
            assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        }
    }

    @Test
    void requestUndecided_timePasses_isRejected() throws IOException {
        Pair pair = new Pair(world);
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(Duration.ofMillis(300));
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionException e = failure(connection);
            assertEquals(Kind.REJECTED, e.kind());
            assertTrue(e.toString().contains("did not answer in time"), e.toString());
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty());
            assertEquals(PORT_MEMBERS, pair.b.rnic.engine(0).members());
        }
    }

    @Test
    void backlogFull_nextRequest_isRejectedWithTheReason() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener =
                pair.b.rnic.listen(world.address(), ListenOptions.defaults().withBacklog(1))) {
            pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            world.settle();
            Connection second = pair.a.rnic.startConnect(pair.fresh(pair.a), listener.localAddress(), DEFAULTS);
            ConnectionException e = failure(second);
            assertEquals(Kind.REJECTED, e.kind());
            assertTrue(e.toString().contains("backlog"), e.toString());
            assertTrue(listener.nextRequest(Duration.ZERO).isPresent());
        }
    }

    @Test
    void listenerClosed_untakenRequests_areRejected() throws IOException {
        Pair pair = new Pair(world);
        Listener listener = pair.b.rnic.listen(world.address());
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
        world.settle();
        listener.close();
        assertEquals(Kind.REJECTED, failure(connection).kind());
        Connection after = pair.a.rnic.startConnect(pair.fresh(pair.a), listener.localAddress(), DEFAULTS);
        assertEquals(Kind.REFUSED, failure(after).kind());
    }

    @Test
    void listen_addressesOfOthersAndPortsInUse_areRefused() throws IOException {
        Pair pair = new Pair(world);
        InetAddress own = InetAddress.ofLiteral("10.0.0.1");
        try (Listener listener = pair.a.rnic.listen(new InetSocketAddress(own, 0))) {
            InetSocketAddress address = (InetSocketAddress) listener.localAddress();
            assertEquals(own, address.getAddress());
            assertTrue(address.getPort() > 0);
            assertThrows(IOException.class, () -> pair.a.rnic.listen(address));
            assertThrows(
                    IOException.class,
                    () -> pair.a.rnic.listen(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 0)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> world.rnic(RnicOptions.defaults().withEngines(2)));
    }

    @Test
    void wrongOptions_areRefusedAtOnce() {
        Pair pair = new Pair(world);
        InetSocketAddress there = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 7);
        List<ConnectionOptions> wrong = List.of(
                DEFAULTS.withTimeout(Duration.ZERO),
                DEFAULTS.withPrivateData(new byte[57]),
                DEFAULTS.toBuilder().retries(8, 0).build(),
                DEFAULTS.toBuilder()
                        .localAddress(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.7"), 0))
                        .build());
        for (ConnectionOptions options : wrong) {
            assertThrows(
                    IllegalArgumentException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, there, options));
        }
        InetSocketAddress name = InetSocketAddress.createUnresolved("name", 7);
        assertThrows(IllegalArgumentException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, name, DEFAULTS));
        assertTrue(pair.a.queuePair.connection().isEmpty());
        assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
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
        assertEquals(InfinibandQueuePairState.ERR, pair.a.queuePair.state());
    }

    @Test
    void peerDisconnects_workPending_isFlushedAndReported() throws IOException {
        Pair pair = new Pair(world).connect();
        // Without a receive, the Send waits.
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        pair.fromB.disconnect();
        assertTrue(pair.fromA.awaitClosed(SECOND));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.BAD_CLOSE), events(pair.a));
        assertTrue(pair.fromB.awaitClosed(SECOND));
    }

    @Test
    void wrongKey_failsTheWorkAndBothSides() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(3, pair.b.memory, 0, 8);
        pair.a.queuePair.postRead(
                1, pair.a.memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey() + 1, WrFlags.SIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        assertTrue(pair.fromA.awaitClosed(SECOND));
        assertTrue(pair.fromB.awaitClosed(SECOND));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertEquals(List.of("1 REMOTE_ACCESS", "2 FLUSHED"), pair.a.polled());
        assertEquals(List.of("3 FLUSHED"), pair.b.polled());
        assertEquals(List.of(), events(pair.a));
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERROR), events(pair.b));
        assertFalse(pair.fromA.termination().orElseThrow().byUs());
        assertEquals(2, pair.fromA.termination().orElseThrow().errorCode());
        assertTrue(pair.fromB.termination().orElseThrow().byUs());
        assertEquals(PORT_MEMBERS, pair.b.rnic.engine(0).members());
    }

    @Test
    void peerVanishes_work_failsAfterTheRetries() throws IOException {
        Pair pair = new Pair(world).connect();
        world.packets.vanish(ManualWorld.roceAddress(2));
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        assertTrue(pair.fromA.awaitClosed(MINUTE));
        assertEquals(List.of("1 RETRY_EXCEEDED"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        long before = world.nowNs;
        pair.fromB.close();
        assertTrue(world.nowNs - before <= 1_000_000_000L, "a graceful close is given up after a second");
    }

    @Test
    void peerVanishes_disconnect_isBounded() throws IOException {
        Pair pair = new Pair(world).connect();
        world.packets.vanish(ManualWorld.roceAddress(2));
        pair.fromA.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        assertTrue(pair.fromA.awaitClosed(MINUTE));
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
    }

    @Test
    void queuePairClosed_whileConnecting_connectionFails() {
        Pair pair = new Pair(world);
        InetSocketAddress silent = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.9"), 7);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, silent, DEFAULTS);
        pair.a.queuePair.postReceive(5, pair.a.memory, 0, 8);
        pair.a.queuePair.close();
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(List.of("5 FLUSHED"), pair.a.polled());
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
        SoftRnic again = world.rnic();
        assertEquals(InfinibandQueuePairState.RESET, new Pair.Side(again, 4, o -> o).queuePair.state());
    }

    @Test
    void thousandCycles_leakNothing() throws IOException {
        Pair pair = new Pair(world);
        for (int i = 0; i < 1000; i++) {
            Pair.Side a = pair.a;
            QueuePair left = pair.fresh(a);
            QueuePair right = pair.fresh(pair.b);
            try (Listener listener = pair.b.rnic.listen(world.address())) {
                Connection from = a.rnic.startConnect(left, listener.localAddress(), DEFAULTS);
                Connection to = listener.nextRequest(SECOND).orElseThrow().accept(right);
                from.awaitEstablished(SECOND);
                right.postReceive(1, pair.b.memory, 0, 8);
                left.postSend(2, a.memory, 0, 8, WrFlags.SIGNALLED);
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
            assertEquals(List.of("2 SUCCESS"), a.polled());
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
            events(pair.a);
            events(pair.b);
        }
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            assertEquals(PORT_MEMBERS, side.rnic.engine(0).members());
            assertEquals(1, side.rnic.context().queuePairs().size());
        }
    }

    // Extensions between two Verbenas.

    /** Whether selective acknowledgements occur on a network that loses packets. */
    private boolean repeatsSelectively(boolean first, boolean second) throws IOException {
        byte selectiveAcknowledge = (byte) 0xd1;
        try (ManualWorld lossy = ManualWorld.roce()) {
            lossy.packetFaults = PacketFaults.none().withLoss(20);
            AtomicBoolean seen = new AtomicBoolean();
            lossy.packets.tap = Optional.of(packet -> seen.compareAndSet(false, packet[0] == selectiveAcknowledge));
            Pair.Side near = new Pair.Side(lossy.rnic(selective(first)), 64, it -> it);
            Pair.Side far = new Pair.Side(lossy.rnic(selective(second)), 64, it -> it);
            try (Listener listener = far.rnic.listen(lossy.address())) {
                Connection connection =
                        near.rnic.startConnect(near.queuePair, listener.localAddress(), DEFAULTS.withTimeout(MINUTE));
                listener.nextRequest(MINUTE).orElseThrow().accept(far.queuePair, DEFAULTS.withTimeout(MINUTE));
                connection.awaitEstablished(MINUTE);
            }
            near.queuePair.postWrite(1, near.memory, 0, 500_000, far.memory.remote(), 0, WrFlags.SIGNALLED);
            assertTrue(near.cq.await(MINUTE));
            assertEquals(List.of("1 SUCCESS"), near.polled());
            return seen.get();
        }
    }

    private static RnicOptions selective(boolean on) {
        return RnicOptions.defaults().withInfiniband(it -> it.withSelectiveRepeat(on));
    }

    @Test
    void selectiveRepeat_isUsedIfBothSidesOfferIt() throws IOException {
        assertTrue(repeatsSelectively(true, true));
        assertFalse(repeatsSelectively(true, false));
        assertFalse(repeatsSelectively(false, true));
    }
}
