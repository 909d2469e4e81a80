package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.ConnectTest;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections over the InfiniBand transport in virtual time: what differs from other providers, see {@link ConnectTest}. */
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

    private static ConnectionException failure(Connection connection) {
        return assertThrows(ConnectionException.class, () -> connection.awaitEstablished(MINUTE));
    }

    private static List<AsyncEventType> events(Pair.Side side) {
        return side.rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::type)
                .toList();
    }

    @Test
    void connected_query_showsThePath() throws IOException {
        Pair pair = new Pair(world).connect();
        QueuePairAttributes attributes = pair.a.queuePair.query();
        assertEquals(pair.b.queuePair.number(), attributes.remoteNumber());
        assertEquals(1024, attributes.maxFrameBytes());
        assertEquals(
                InetAddress.ofLiteral("10.0.0.2"),
                attributes.path().orElseThrow().primary().address().orElseThrow());
        assertEquals(
                attributes.path().orElseThrow().sendSequence(),
                pair.b.queuePair.query().path().orElseThrow().receiveSequence());
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
    }

    @Test
    void wrongOptions_areRefusedAtOnce() {
        Pair pair = new Pair(world);
        InetSocketAddress there = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 7);
        List<ConnectionOptions> wrong = List.of(
                DEFAULTS.withTimeout(Duration.ZERO),
                DEFAULTS.withPrivateData(new byte[57]),
                DEFAULTS.toBuilder().retries(8, 0).build());
        for (ConnectionOptions options : wrong) {
            assertThrows(
                    IllegalArgumentException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, there, options));
        }
        assertTrue(pair.a.queuePair.connection().isEmpty());
        assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
    }

    @Test
    void addressThatCannotBeUsed_failsTheConnection() throws IOException {
        Pair pair = new Pair(world);
        InetSocketAddress there = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 7);
        ConnectionOptions foreign = DEFAULTS.toBuilder()
                .localAddress(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.7"), 0))
                .build();
        InetSocketAddress name = InetSocketAddress.createUnresolved("name", 7);
        String sentence = sentence(pair.a.rnic.startConnect(pair.a.queuePair, name, DEFAULTS));
        assertTrue(sentence.contains("name:7"), sentence);
        sentence = sentence(pair.a.rnic.startConnect(pair.a.queuePair, UnixDomainSocketAddress.of("/tmp/x"), DEFAULTS));
        assertTrue(sentence.contains("an IP address and a port are required"), sentence);
        sentence = sentence(pair.a.rnic.startConnect(pair.a.queuePair, there, foreign));
        assertTrue(sentence.contains("10.0.0.7"), sentence);
        assertThrows(ConnectionException.class, () -> pair.a.rnic.lookUp(name, DEFAULTS));
        EndToEndContext context = pair.a.rnic.allocateReliableDatagramDomain().startConnect(name, DEFAULTS);
        assertThrows(ConnectionException.class, () -> context.awaitEstablished(SECOND));
        context.close();
        assertEquals(InfinibandQueuePairState.RESET, pair.a.queuePair.state());
        pair.connect();
    }

    private static String sentence(Connection connection) {
        ConnectionException failed = assertThrows(ConnectionException.class, () -> connection.awaitEstablished(SECOND));
        assertEquals(ConnectionException.Kind.FAILED, failed.kind());
        return String.valueOf(failed.getMessage());
    }

    // Ends.

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

    // Idle connections.

    private static ConnectionOptions keepAlive(Duration silence) {
        return DEFAULTS.withKeepAlive(silence);
    }

    @Test
    void idle_peerLives_connectionRemainsAndItsWorkIsUnaffected() throws IOException {
        Pair pair = new Pair(world).connect(keepAlive(Duration.ofMillis(100)));
        for (int i = 0; i < 3; i++) {
            long before = world.packets.sent;
            world.advance(10_000_000_000L);
            assertTrue(world.packets.sent - before >= 200, "probes and answers");
            assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
            pair.a.queuePair.postRead(2, pair.a.memory, 0, 5000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
            if (i == 1) {
                // The last request before the next probe is a Read.
                pair.a.queuePair.postRead(4, pair.a.memory, 0, 9, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            }
            world.settle();
            assertEquals(
                    i == 1 ? List.of("2 SUCCESS", "3 SUCCESS", "4 SUCCESS") : List.of("2 SUCCESS", "3 SUCCESS"),
                    pair.a.polled());
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        }
    }

    @Test
    void idle_peerVanishes_connectionFailsAfterTheKeepAliveTime() throws IOException {
        Pair pair = new Pair(world).connect(keepAlive(Duration.ofMillis(100)));
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.packets.vanish(ManualWorld.roceAddress(2));
        long before = world.nowNs;
        assertTrue(pair.fromA.awaitClosed(MINUTE));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(pair.fromA.reason().contains("keep-alive"), pair.fromA.reason());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertTrue(world.nowNs - before <= 125_000_000, (world.nowNs - before) + " ns");
    }

    @Test
    void unreliable_idleOrOneSided_connectionRemains() throws IOException {
        Pair pair = new Pair(
                        world, RnicOptions.defaults(), 64, it -> it.withService(TransportService.UNRELIABLE_CONNECTION))
                .connect(keepAlive(Duration.ofMillis(100)));
        world.advance(1_000_000_000L);
        for (int i = 0; i < 10; i++) {
            pair.a.queuePair.postWrite(i, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED);
            world.advance(100_000_000L);
        }
        assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state(), pair.fromA.reason());
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state(), pair.fromB.reason());
    }

    @Test
    void idle_withoutKeepAlive_sendsNothing() throws IOException {
        Pair pair = new Pair(world).connect(keepAlive(Duration.ZERO));
        world.advance(2_000_000_000L); // the RTU is repeated
        long before = world.packets.sent;
        world.advance(10_000_000_000L);
        assertEquals(before, world.packets.sent, "B keeps the default of 30 s");
        assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
    }

    // What both sides negotiate.

    @Test
    void receivesPosted_sender_waitsForCredits() throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicInteger sends = new AtomicInteger();
        world.packets.tap = Optional.of(packet -> sends.addAndGet(packet[0] == IbOpcode.RC_SEND_ONLY.value() ? 1 : 0));
        pair.b.queuePair.postReceive(0, pair.b.memory, 0, 8);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        for (int i = 0; i < 10; i++) {
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        }
        world.settle();
        assertEquals(3, sends.get(), "two messages, and one without a credit as a probe");
        for (int i = 2; i < 10; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        world.advance(10_000_000);
        assertEquals(10, pair.b.polled().size());
        assertEquals(10, pair.a.polled().size());
    }

    /** Number of congestion notifications on a congested network. */
    private long notifications(boolean first, boolean second) throws IOException {
        try (ManualWorld congested = ManualWorld.roce()) {
            congested.packets.congested = true;
            AtomicInteger seen = new AtomicInteger();
            congested.packets.tap =
                    Optional.of(packet -> seen.addAndGet(packet[0] == (byte) IbOpcode.CNP.value() ? 1 : 0));
            Pair.Side near = new Pair.Side(congested.rnic(congestionControl(first)), 64, it -> it);
            Pair.Side far = new Pair.Side(congested.rnic(congestionControl(second)), 64, it -> it);
            Pair.connect(congested, near, far);
            near.queuePair.postWrite(1, near.memory, 0, 1_000_000, far.memory.remote(), 0, WrFlags.SIGNALLED);
            long before = congested.nowNs;
            assertTrue(near.cq.await(MINUTE));
            assertEquals(List.of("1 SUCCESS"), near.polled());
            if (first && second) {
                assertTrue(congested.nowNs > before, "the rate is limited");
                assertTrue(seen.get() <= 1 + (congested.nowNs - before) / 50_000, seen + " in 50 µs each");
            }
            return seen.get();
        }
    }

    private static RnicOptions congestionControl(boolean on) {
        return RnicOptions.defaults().withInfiniband(it -> it.withCongestionControl(on));
    }

    @Test
    void congestionControl_isUsedIfBothSidesOfferIt() throws IOException {
        assertTrue(notifications(true, true) > 0);
        assertEquals(0, notifications(true, false));
        assertEquals(0, notifications(false, true));
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
