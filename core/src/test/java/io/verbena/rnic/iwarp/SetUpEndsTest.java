package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamLoop.AcceptEvents;
import io.verbena.port.StreamLoop.ConnectEvents;
import io.verbena.port.StreamWrapper;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ends of a set-up that are rare: each one releases the stream, and the application learns the reason. */
class SetUpEndsTest {

    private static final ConnectionOptions DEFAULTS = ConnectionOptions.defaults();
    private static final long MS = 1_000_000L;

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    private static void send(MemoryStream stream, byte[] bytes) throws IOException {
        stream.write(IwarpConnectTest.direct(bytes));
    }

    /** An MPA Request (RFC 5044 section 7.1.1): the key, then flags, revision and length. */
    private static byte[] request(String rest) {
        String key = HexFormat.of().formatHex("MPA ID Req Frame".getBytes(StandardCharsets.ISO_8859_1));
        return HexFormat.of().parseHex(key + rest.replace(" ", ""));
    }

    private static byte[] plainRequest() {
        return request("00 01 0000");
    }

    private static ConnectionException failure(Connection connection) {
        return assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Duration.ZERO));
    }

    // The side that connects.

    @Test
    void hostIsSilent_attemptIsGivenUp_andAStreamThatIsConnectedTooLateIsClosed() {
        world.network.silent = true;
        Connection connection = pair.a.rnic.startConnect(
                pair.a.queuePair, world.address(), DEFAULTS.withTimeout(Duration.ofMillis(70)));
        world.settle();
        ConnectEvents attempt = world.network.unanswered.getFirst();
        world.advance(69 * MS);
        assertEquals(ConnectionState.CONNECTING, connection.state());
        assertEquals(1, world.network.unanswered.size());
        world.advance(MS);
        assertEquals(Kind.TIMED_OUT, failure(connection).kind());
        assertEquals("The host of the peer did not respond within 70 ms.", connection.reason());
        assertEquals(List.of(), world.network.unanswered);
        assertEquals(0, pair.a.rnic.engine(0).members());

        InetSocketAddress address = world.address();
        world.network.acceptAt(address);
        MemoryStream late = world.network.dial(address);
        attempt.onConnected(late);
        assertTrue(late.closedAbortively());
        attempt.onConnectFailed(true, "too late");
        assertEquals("The host of the peer did not respond within 70 ms.", connection.reason());
    }

    @Test
    void applicationClosesWhileTcpConnects_attemptIsGivenUp() {
        world.network.silent = true;
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, world.address(), DEFAULTS);
        world.settle();
        connection.disconnect();
        world.settle();
        assertEquals(List.of(), world.network.unanswered);
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals("The application closed the connection before it was established.", connection.reason());
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
    }

    /** The loop of an engine that refuses what it is asked for. */
    private static final class Refusing extends LoopWrapper {

        Refusing(ManualWorld world) {
            super(world.network);
        }

        @Override
        protected StreamWrapper wrap(ByteStream stream, boolean initiator) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
            throw new IllegalArgumentException("no such kind of address");
        }

        @Override
        public ByteStream adopt(ByteStream stream, boolean initiator) {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void addressIsNotUsable_connectFailsWithTheReason() {
        world.streams = new Refusing(world);
        InetSocketAddress address = world.address();
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS);
        world.settle();
        assertEquals(Kind.FAILED, failure(connection).kind());
        assertTrue(connection.reason().endsWith("is not usable: no such kind of address."), connection::reason);
        assertEquals(0, pair.a.rnic.engine(0).members());
        world.streams = world.network;
        assertEquals(
                ConnectionState.CONNECTING,
                pair.a.rnic.startConnect(pair.a.queuePair, address, DEFAULTS).state());
    }

    // The side that listens.

    // RFC 6581 section 9: the IRD is in the first half of the enhanced header, the ORD in the second.
    @Test
    void request_showsTheReadDepthsOfThePeer() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            send(world.network.dial(listener.localAddress()), request("10 02 0004 0007 0009"));
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            assertEquals(7, request.inboundReads());
            assertEquals(9, request.outboundReads());
        }
    }

    @Test
    void streamCannotBeWatched_itIsReset_andTheListenerGoesOn() throws IOException {
        world.expectsBugs = true;
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            world.network.atAttach = () -> {
                throw new OutOfMemoryError("on purpose");
            };
            MemoryStream lost = world.network.dial(listener.localAddress());
            world.network.atAttach = () -> {};
            assertEquals(0, IwarpView.halfOpenCount(listener));
            assertThrows(IOException.class, () -> send(lost, plainRequest()));
            send(world.network.dial(listener.localAddress()), plainRequest());
            assertTrue(listener.nextRequest(Pair.SECOND).isPresent());
        }
    }

    @Test
    void listenerClosesWhileAPeerIsBeingAccepted_itsStreamIsReset() throws IOException {
        Listener listener = pair.b.rnic.listen(world.address());
        // The system has accepted the stream, and the listener closes before the engine learns of it.
        MemoryStream[] ends = new MemoryStream[2];
        InetSocketAddress other = world.address();
        world.network.acceptAt(other, stream -> ends[1] = (MemoryStream) stream);
        ends[0] = world.network.dial(other);
        listener.close();
        ((AcceptEvents) listener).onAccepted(ends[1]);
        assertTrue(ends[1].closedAbortively());
        assertEquals(0, IwarpView.halfOpenCount(listener));
        assertTrue(listener.nextRequest(Duration.ZERO).isEmpty());
    }

    @Test
    void rejectionThatTheReplyCannotHold_isRefused_andTheRequestRemains() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, plainRequest());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            assertThrows(IllegalArgumentException.class, () -> request.reject(new byte[513]));
            request.reject(new byte[512]);
            world.settle();
            assertEquals(20 + 512, peer.in().size());
            assertThrows(IllegalStateException.class, () -> request.startAccept(pair.b.queuePair, DEFAULTS), "decided");
        }
    }

    @Test
    void rejectedPeerReadsNothing_isForgottenAfterAWhile() throws IOException {
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(Duration.ofSeconds(2));
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, plainRequest());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            peer.in().capacity(3);
            request.reject(new byte[0]);
            world.settle();
            assertEquals(3, peer.in().size());
            assertEquals(1, IwarpView.halfOpenCount(listener));
            world.advance(10_000 * MS);
            assertEquals(0, IwarpView.halfOpenCount(listener));
            assertEquals(0, pair.b.rnic.engine(0).members());
            assertTrue(peer.in().ended());
        }
    }

    @Test
    void rejectedPeerIsSlow_receivesTheReply() throws IOException {
        ListenOptions options = ListenOptions.defaults().withStartUpTimeout(Duration.ofSeconds(2));
        try (Listener listener = pair.b.rnic.listen(world.address(), options)) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, plainRequest());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            peer.in().capacity(3);
            request.reject(new byte[0]);
            world.advance(1_900 * MS);
            peer.in().capacity(4096);
            world.settle();
            assertEquals(20, peer.in().size()); // the frame without private data
            assertEquals(1, IwarpView.halfOpenCount(listener)); // the peer has a second to close
            world.advance(999 * MS);
            assertEquals(1, IwarpView.halfOpenCount(listener));
            world.advance(2 * MS);
            assertEquals(0, IwarpView.halfOpenCount(listener));
        }
    }

    @Test
    void acceptedPeerReadsNothing_setUpTimesOut() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, plainRequest());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            peer.in().capacity(3);
            pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
            Connection connection = request.startAccept(pair.b.queuePair, DEFAULTS.withTimeout(Duration.ofMillis(70)));
            world.advance(69 * MS);
            assertEquals(ConnectionState.CONNECTING, connection.state());
            world.advance(MS);
            assertEquals(Kind.TIMED_OUT, failure(connection).kind());
            assertEquals(List.of("1 FLUSHED"), pair.b.polled());
            assertEquals(0, pair.b.rnic.engine(0).members());
        }
    }

    // Conversions.

    private MemoryStream streamInUse() {
        InetSocketAddress address = world.address();
        world.network.acceptAt(address);
        return world.network.dial(address);
    }

    @Test
    void conversion_engineCannotTakeTheStream_itIsClosedAndTheConnectionFails() {
        world.expectsBugs = true;
        MemoryStream stream = streamInUse();
        world.streams = new Refusing(world);
        Connection connection = IwarpTransport.takeOver(
                pair.a.queuePair, stream, StreamConversion.asInitiator(), (back, following) -> Optional.empty());
        world.settle();
        assertTrue(stream.closedAbortively());
        assertEquals(ConnectionState.FAILED, connection.state());
    }

    @Test
    void conversion_queuePairClosesBeforeItBegins_streamIsClosed() {
        MemoryStream stream = streamInUse();
        Connection connection = IwarpTransport.takeOver(
                pair.a.queuePair, stream, StreamConversion.asInitiator(), (back, following) -> Optional.empty());
        connection.disconnect();
        pair.a.queuePair.close();
        world.settle();
        assertTrue(stream.closed());
        assertEquals(ConnectionState.FAILED, connection.state());
    }

    @Test
    void conversionRejected_streamCannotBeReturned_itIsClosed_andTheReasonRemains() throws IOException {
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        MemoryStream near = world.network.dial(address);
        Connection connection =
                IwarpTransport.takeOver(pair.a.queuePair, near, StreamConversion.asInitiator(), (back, following) -> {
                    throw new IOException("the socket is gone");
                });
        world.settle();
        // A Reply with the flag R, 0x20, a space in ASCII (RFC 5044 section 7.1.1).
        send(accepted.getFirst(), "MPA ID Rep Frame \1\0\0".getBytes(StandardCharsets.ISO_8859_1));
        world.settle();
        assertEquals(ConnectionState.REJECTED, connection.state());
        assertTrue(near.closedAbortively());
        assertFalse(connection.returnedStream().isPresent());
        assertEquals(0, pair.a.rnic.engine(0).members());
    }
}
