package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The process of a peer dies and its system closes the stream with a FIN. This is distinguished from a graceful close.
 */
class CrashTest {

    private static final String SENTENCE =
            "The peer's stream ended without a farewell: the peer's process ended, or the peer dropped the connection without closing it.";

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** Kills the process of one side. All bytes that it had sent arrive, followed by the FIN of its system. */
    private void kill(SoftRnic rnic, Connection connection) {
        kill(world, rnic, connection);
    }

    private static void kill(ManualWorld world, SoftRnic rnic, Connection connection) {
        MemoryStream dying = world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(connection.localAddress()))
                .findFirst()
                .orElseThrow();
        world.hang(rnic, connection.localAddress());
        dying.close(false);
    }

    @ParameterizedTest
    @CsvSource({
        "true, false, false",
        "false, false, false",
        "true, true, false",
        "false, true, false",
        "true, false, true",
        "false, false, true"
    })
    void quietPeerIsKilled_isNotGraceful(boolean initiatorDies, boolean used, boolean crcAndMarkers)
            throws IOException {
        RnicOptions options = RnicOptions.defaults().withCrc(crcAndMarkers).withMarkers(crcAndMarkers);
        Pair pair = new Pair(world, options, 64, each -> each).connect();
        Pair.Side dead = initiatorDies ? pair.a : pair.b;
        Pair.Side other = initiatorDies ? pair.b : pair.a;
        Connection connection = initiatorDies ? pair.fromB : pair.fromA;
        if (used) {
            other.queuePair.postReceive(1, other.memory, 0, 8);
            dead.queuePair.postSend(2, dead.memory, 0, 8, WrFlags.UNSIGNALLED);
            dead.queuePair.postRead(3, dead.memory, 0, 8, other.memory.remote(), 0, WrFlags.UNSIGNALLED);
            world.settle();
            assertEquals(List.of("1 SUCCESS"), other.polled());
        }
        other.queuePair.postReceive(4, other.memory, 0, 8);
        kill(dead.rnic, initiatorDies ? pair.fromA : pair.fromB);
        world.settle();
        assertEquals(List.of("4 FLUSHED"), other.polled());
        world.advance(2_000_000_000L);
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(SENTENCE, connection.reason());
        assertEquals(List.of(AsyncEventType.BAD_CLOSE), ManualWorld.events(other.rnic));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void killedPeer_disconnect_isNotGraceful(boolean initiatorDies) throws IOException {
        Pair pair = new Pair(world).connect();
        Connection connection = initiatorDies ? pair.fromB : pair.fromA;
        kill(initiatorDies ? pair.a.rnic : pair.b.rnic, initiatorDies ? pair.fromA : pair.fromB);
        connection.disconnect();
        world.advance(2_000_000_000L);
        assertEquals(ConnectionState.FAILED, connection.state());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withoutPeerToPeerStart_noFarewellIsNegotiated(int revision) throws IOException {
        ConnectionOptions options =
                ConnectionOptions.defaults().withPeerToPeer(false).withRevision(revision);
        Pair pair = new Pair(world).connect(options);
        kill(pair.a.rnic, pair.fromA);
        world.advance(2_000_000_000L);
        // Shared memory shows it without a farewell.
        assertEquals(
                world.sharedMemory.isPresent() ? ConnectionState.FAILED : ConnectionState.CLOSED, pair.fromB.state());
    }

    /** The responder is killed before it has sent its first FPDU, by which farewells are agreed. */
    @Test
    void responderIsKilledBeforeItsFirstFpdu_sharedMemoryShowsIt() throws IOException {
        try (ManualWorld rings = ManualWorld.rings()) {
            Pair pair = new Pair(rings);
            Connection opening;
            Connection accepted;
            try (Listener listener = pair.b.rnic.listen(rings.address())) {
                opening = pair.a.rnic.startConnect(
                        pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
                accepted = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
            }
            for (int i = 0; opening.state() != ConnectionState.ESTABLISHED; i++) {
                assertTrue(i < 100);
                rings.network.poll();
                ManualEnvironment.of(i % 2 == 0 ? pair.b.rnic : pair.a.rnic).drive();
            }
            ManualEnvironment.of(pair.a.rnic).drive(); // sends the RTR frame, which the responder does not read
            kill(rings, pair.b.rnic, accepted);
            rings.advance(2_000_000_000L);
            assertEquals(ConnectionState.FAILED, opening.state());
            assertEquals(SENTENCE, opening.reason());
            assertEquals(List.of(AsyncEventType.BAD_CLOSE), ManualWorld.events(pair.a.rnic));
        }
    }
}
