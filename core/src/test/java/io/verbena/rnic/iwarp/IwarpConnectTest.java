package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.ConnectTest;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Establishment of iWARP connections: what only a byte stream can do. The rest is in {@link ConnectTest}. */
public class IwarpConnectTest {

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

    public static ByteBuffer direct(byte[] data) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(data.length);
        buffer.put(data).flip();
        return buffer;
    }
}
