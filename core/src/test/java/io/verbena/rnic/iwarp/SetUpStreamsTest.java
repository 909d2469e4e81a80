package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stream of a connection that is being set up: its end, a rejection, and the Terminate message of a start-up. */
class SetUpStreamsTest {

    private static final long MS = 1_000_000L;

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static void send(MemoryStream stream, byte[] bytes) throws IOException {
        stream.write(IwarpConnectTest.direct(bytes));
    }

    private static byte[] received(MemoryStream stream) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        stream.read(buffer);
        byte[] bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    /** An MPA Request of revision 1 without private data (RFC 5044 section 7.1.1). */
    private static byte[] request() {
        return "MPA ID Req Frame\0\1\0\0".getBytes(StandardCharsets.ISO_8859_1);
    }

    // The side that connects.

    // RFC 5044 section 7.1.1: flags, revision, length. RFC 6581 section 9: A and B with the IRD, C and D with the ORD.
    @ParameterizedTest
    @CsvSource({
        "2, true,  true,  false, 50020004 8005c006",
        "2, false, true,  false, 50020004 00050006",
        "1, true,  true,  false, 40010000",
        "1, false, false, false, 00010000",
        "2, true,  false, true,  90020004 8005c006"
    })
    void request_saysWhatTheApplicationRequested(
            int revision, boolean peerToPeer, boolean crc, boolean markers, String expected) throws IOException {
        RnicOptions rnic = RnicOptions.defaults().withCrc(crc).withMarkers(markers);
        Pair pair = new Pair(world, rnic, 64, options -> options.withReads(5, 6));
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        ConnectionOptions requested =
                ConnectionOptions.defaults().withRevision(revision).withPeerToPeer(peerToPeer);
        pair.a.rnic.startConnect(pair.a.queuePair, address, requested);
        world.settle();
        byte[] request = received(accepted.getFirst());
        assertEquals(expected.replace(" ", ""), HexFormat.of().formatHex(request, 16, request.length));
    }

    @Test
    void peerEndsItsDirectionAfterTheRequest_connectFailsAtOnce() {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, ConnectionOptions.defaults());
        world.settle();
        long beganNs = world.nowNs;
        accepted.getFirst().close(false);
        world.settle();
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(beganNs, world.nowNs, "waited for a time-out");
        assertEquals(0, pair.a.rnic.engine(0).members());
    }

    @Test
    void replyNeedsMoreReadDepthThanWeHave_isAnsweredByATerminateMessage() throws IOException {
        // RFC 6581 section 9.1 [5, 6]: Terminate, layer 2 (MPA), error 0/6.
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, options -> options.withReads(4, 4));
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        Connection connection = pair.a.rnic.startConnect(pair.a.queuePair, address, ConnectionOptions.defaults());
        world.settle();
        MemoryStream peer = accepted.getFirst();
        byte[] request = received(peer);
        byte[] reply = "MPA ID Rep Frame\u0010\2\0\4\u0000\u0004\u0000\u0005".getBytes(StandardCharsets.ISO_8859_1);
        reply[16] = (byte) (request[16] & 0xc0 | 0x10);
        reply[20] = (byte) (request[20] & 0xc0);
        reply[22] = (byte) (request[22] & 0xc0);
        send(peer, reply);
        world.settle();
        assertEquals(ConnectionState.FAILED, connection.state());
        byte[] terminate = received(peer);
        assertTrue(terminate.length >= 24, "a Terminate message arrived");
        assertEquals("2006", String.format("%02x%02x", terminate[20], terminate[21]), "layer, type and code");
        assertTrue(peer.in().ended(), "the stream ends after the message");
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, 'rejected the connection: its application did not accept the request.'",
        "true, false, 'either its application rejected it, or it does not support the requested CRCs.'",
        "false, true, 'either its application rejected it, or it does not support the requested markers.'",
        "true, true, 'either its application rejected it, or it does not support the requested markers and CRCs.'"
    })
    void applicationOfThePeerRejects_theReasonNamesWhatItMayNotSupport(boolean crc, boolean markers, String sentence)
            throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults().withCrc(crc).withMarkers(markers), 64, options -> options);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection =
                    pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().reject(new byte[0]);
            world.settle();
            assertEquals(ConnectionState.REJECTED, connection.state());
            assertTrue(connection.reason().endsWith(sentence), connection::reason);
            assertTrue(connection.reason().startsWith("The peer at memory:"), connection::reason);
        }
    }

    @Test
    void eachByteOfAFrame_isPartOfTheStateDigest() throws IOException {
        Pair pair = new Pair(world);
        Set<Long> digests = new HashSet<>();
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        pair.a.rnic.startConnect(pair.a.queuePair, address, ConnectionOptions.defaults());
        world.settle();
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            world.settle();
            for (int i = 0; i < 4; i++) {
                assertTrue(digests.add(pair.a.rnic.stateDigest()), "connecting side, byte " + i);
                assertTrue(digests.add(pair.b.rnic.stateDigest()), "listening side, byte " + i);
                send(accepted.getFirst(), new byte[] {request()[i]});
                send(peer, new byte[] {request()[i]});
                world.settle();
            }
        }
    }

    // The side that listens.

    @ParameterizedTest
    @CsvSource({"0", "1", "19"})
    void peerEndsItsDirectionBeforeItsRequestIsComplete_isForgotten(int sent) throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, Arrays.copyOf(request(), sent));
            world.settle();
            assertEquals(1, IwarpView.halfOpenCount(listener));
            long beganNs = world.nowNs;
            peer.shutdownOutput();
            world.settle();
            assertEquals(beganNs, world.nowNs);
            assertEquals(0, IwarpView.halfOpenCount(listener));
            assertTrue(peer.in().ended());
            assertEquals(0, pair.b.rnic.engine(0).members());
        }
    }

    @Test
    void peerWasRejected_itsStreamRemainsOpenUntilItCloses_andItsBytesAreDropped() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, request());
            listener.nextRequest(Pair.SECOND).orElseThrow().reject(new byte[0]);
            world.settle();
            assertTrue(new String(received(peer), StandardCharsets.ISO_8859_1).startsWith("MPA ID Rep Frame"));
            assertTrue(peer.in().ended(), "this side has ended its direction");
            assertEquals(1, IwarpView.halfOpenCount(listener), "and waits for the peer");
            send(peer, request());
            world.settle();
            assertEquals(1, IwarpView.halfOpenCount(listener));
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty());
            peer.close(false);
            world.settle();
            assertEquals(0, IwarpView.halfOpenCount(listener));
        }
    }

    @Test
    void peerWasRejected_andDoesNotClose_isForgottenAfterOneSecond() throws IOException {
        Pair pair = new Pair(world);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            MemoryStream peer = world.network.dial(listener.localAddress());
            send(peer, request());
            listener.nextRequest(Pair.SECOND).orElseThrow().reject(new byte[0]);
            world.settle();
            world.advance(999 * MS);
            assertEquals(1, IwarpView.halfOpenCount(listener));
            world.advance(2 * MS);
            assertEquals(0, IwarpView.halfOpenCount(listener));
            assertFalse(pair.b.rnic.engine(0).members() > 0);
        }
    }
}
