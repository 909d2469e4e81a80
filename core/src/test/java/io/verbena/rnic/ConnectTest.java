package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Establishment of connections, and its failures. */
class ConnectTest {

    private static final Duration SECOND = Pair.SECOND;
    private static final ConnectionOptions DEFAULTS = ConnectionOptions.defaults();

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private ConnectionException failure(Connection connection) {
        return assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Duration.ofMinutes(1)));
    }

    @Test
    void connected_bothSides_knowEachOther() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withReads(5, 7));
        List<ConnectionState> observed = new ArrayList<>();
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(
                    pair.a.queuePair, listener.localAddress(), DEFAULTS.withPrivateData(bytes("hello")));
            connection.onStateChange((which, state) -> observed.add(state));
            assertEquals(ConnectionState.CONNECTING, connection.state());
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
            assertEquals(IwarpQueuePairState.RTS, pair.a.queuePair.state());
            assertEquals(IwarpQueuePairState.RTS, pair.b.queuePair.state());
            QueuePairAttributes attributes = pair.a.queuePair.query();
            assertSame(pair.a.domain, attributes.protectionDomain());
            assertEquals(5, attributes.inboundReads());
            assertEquals(5, attributes.outboundReads(), "limited by the peer");
            assertEquals(connection.remoteAddress(), attributes.remotePort().orElseThrow());
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
    }

    @Test
    void noListener_connect_isRefusedAndCanBeRetried() throws IOException {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS);
        ConnectionException e = failure(connection);
        assertEquals(Kind.REFUSED, e.kind());
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
        pair.connect();
        pair.b.queuePair.postSend(2, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertThrows(IllegalStateException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS));
    }

    @Test
    void setUpEndedByTheApplication_queryShowsNoAddresses() {
        world.network.silent = true;
        Pair pair = new Pair(world);
        pair.a.rnic.startConnect(pair.a.queuePair, world.address(), ConnectionOptions.defaults());
        world.settle();
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals(Optional.empty(), pair.a.queuePair.query().localPort());
        assertEquals(Optional.empty(), pair.a.queuePair.query().remotePort());
    }

    @Test
    void connecting_secondConnect_isRefused() {
        Pair pair = new Pair(world);
        world.network.silent = true;
        pair.a.rnic.startConnect(pair.a.queuePair, world.address(), DEFAULTS);
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.rnic.startConnect(pair.a.queuePair, world.address(), DEFAULTS));
    }

    @Test
    void hostSilent_connect_timesOut() {
        Pair pair = new Pair(world);
        world.network.silent = true;
        long before = world.nowNs;
        Connection connection = pair.a.rnic.startConnect(
                pair.a.queuePair, world.address(), DEFAULTS.withTimeout(Duration.ofMillis(70)));
        ConnectionException shorter =
                assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Duration.ofMillis(20)));
        assertEquals(Kind.TIMED_OUT, shorter.kind());
        assertEquals(ConnectionState.CONNECTING, connection.state());
        assertEquals(Kind.TIMED_OUT, failure(connection).kind());
        assertEquals(70_000_000, world.nowNs - before);
        assertEquals(0, pair.a.rnic.engine(0).members());
    }

    @Test
    void peerStallsAfterTheRequest_connect_timesOutAndClosesTheStream() {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        Connection connection =
                pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS.withTimeout(Duration.ofMillis(70)));
        assertEquals(Kind.TIMED_OUT, failure(connection).kind());
        assertTrue(accepted.getFirst().in().size() > 0, "the request arrived");
        assertTrue(accepted.getFirst().in().ended());
        assertEquals(0, pair.a.rnic.engine(0).members());
    }

    @Test
    void peerSpeaksAnotherProtocol_connect_fails() throws IOException {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS);
        world.settle();
        accepted.getFirst().write(direct(bytes("HTTP/1.1 400 Bad Request\r\n\r\n")));
        ConnectionException e = failure(connection);
        assertEquals(Kind.FAILED, e.kind());
        assertTrue(e.toString().contains("could not be set up"), e.toString());
    }

    @Test
    void peerResets_duringStartUp_fails() {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        world.network.acceptAt(address);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS);
        world.settle();
        world.network.streams.forEach(MemoryStream::reset);
        assertEquals(Kind.FAILED, failure(connection).kind());
    }

    @Test
    void requested_reject_carriesThePrivateData() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertThrows(IllegalArgumentException.class, () -> request.reject(new byte[509]));
            request.reject(bytes("full"));
            ConnectionException e = failure(connection);
            assertEquals(Kind.REJECTED, e.kind());
            assertArrayEquals(bytes("full"), e.privateData());
            assertArrayEquals(bytes("full"), connection.privateData());
            assertEquals(ConnectionState.REJECTED, connection.state());
            assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
            assertThrows(IllegalStateException.class, () -> request.startAccept(pair.b.queuePair, DEFAULTS));
            assertEquals(IwarpQueuePairState.IDLE, pair.b.queuePair.state());
            world.advance(10_000_000_000L);
            assertEquals(0, pair.b.rnic.engine(0).members(), "the peer closed, and no resource is held for it");
            assertEquals(0, pair.a.rnic.engine(0).members());
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
    void requestGone_accept_fails() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), DEFAULTS);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            connection.disconnect();
            world.settle();
            Connection late = request.startAccept(pair.b.queuePair, DEFAULTS);
            assertEquals(Kind.FAILED, failure(late).kind());
            assertEquals(ConnectionState.FAILED, connection.state());
        }
    }

    @Test
    void startUpTornToBytes_andDataAfterTheReply_arrives() throws IOException {
        for (int revision = 1; revision <= 2; revision++) {
            Pair pair = new Pair(world);
            try (Listener listener = pair.b.rnic.listen(world.address())) {
                Connection connection = pair.a.rnic.startConnect(
                        pair.a.queuePair, listener.localAddress(), DEFAULTS.withRevision(revision));
                world.network.streams.forEach(stream -> stream.tear(1));
                ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
                pair.b.queuePair.postReceive(2, pair.b.memory, 0, 100);
                request.startAccept(pair.b.queuePair, DEFAULTS);
                connection.awaitEstablished(SECOND);
                pair.a.queuePair.postReceive(3, pair.a.memory, 0, 100);
                pair.a.queuePair.postSend(1, pair.a.memory, 0, 100, WrFlags.SIGNALLED);
                pair.b.queuePair.postSend(4, pair.b.memory, 0, 100, WrFlags.SIGNALLED);
                world.settle();
                assertEquals(List.of("1 SUCCESS", "3 SUCCESS"), pair.a.polled());
                assertEquals(List.of("2 SUCCESS", "4 SUCCESS"), pair.b.polled());
            }
        }
    }

    @Test
    void wrongOptions_areRefusedAtOnce() {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        List<ConnectionOptions> wrong = List.of(
                DEFAULTS.withRevision(3), DEFAULTS.withTimeout(Duration.ZERO), DEFAULTS.withPrivateData(new byte[509]));
        for (ConnectionOptions options : wrong) {
            assertThrows(
                    IllegalArgumentException.class, () -> pair.a.rnic.startConnect(pair.a.queuePair, address, options));
        }
        assertThrows(
                IllegalArgumentException.class, () -> pair.b.rnic.startConnect(pair.a.queuePair, address, DEFAULTS));
        assertTrue(pair.a.queuePair.connection().isEmpty());
    }

    @Test
    void connecting_queuePairClosed_connectionFails() {
        Pair pair = new Pair(world);
        world.network.silent = true;
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, world.address(), DEFAULTS);
        pair.a.queuePair.postReceive(5, pair.a.memory, 0, 8);
        pair.a.queuePair.close();
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(List.of("5 FLUSHED"), pair.a.polled());
        assertFalse(connection.reason().isEmpty());
    }

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
    void loopback_oneRnic_connectsToItself() throws IOException {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withEngines(3));
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
            assertEquals(2, polled.size());
            assertTrue(polled.containsAll(List.of("1 SUCCESS", "2 SUCCESS")), polled.toString());
        }
    }

    static ByteBuffer direct(byte[] data) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(data.length);
        buffer.put(data).flip();
        return buffer;
    }
}
