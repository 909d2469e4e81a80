package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.ConnectionState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The states of a connection as the application sees them, whichever transport reports them. */
class SoftConnectionTest {

    private static final long SECOND_NS = 1_000_000_000L;

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);
    private final SoftConnection connection = new SoftConnection(pair.a.queuePair, world.address());
    private final List<ConnectionState> seen = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void listener_isNotifiedOnceOfEachState() {
        connection.onStateChange((which, state) -> seen.add(state));
        connection.moved(ConnectionState.ESTABLISHED, "");
        connection.moved(ConnectionState.ESTABLISHED, "again");
        connection.moved(ConnectionState.CLOSING, "the peer has closed");
        connection.moved(ConnectionState.CLOSING, "this side has closed");
        connection.moved(ConnectionState.CLOSED, "both have closed");
        connection.moved(ConnectionState.FAILED, "after the end");
        world.settle();
        assertEquals(
                List.of(
                        ConnectionState.CONNECTING,
                        ConnectionState.ESTABLISHED,
                        ConnectionState.CLOSING,
                        ConnectionState.CLOSED),
                seen);
        assertEquals("both have closed", connection.reason());
        assertTrue(connection.wasEstablished());
        assertEquals(
                "connection of " + pair.a.queuePair + " to memory:" + port() + ", CLOSED: both have closed",
                connection.toString());
    }

    private int port() {
        return ((InetSocketAddress) connection.remoteAddress()).getPort();
    }

    @Test
    void toString_withoutReason_endsWithTheState() {
        assertTrue(connection.toString().endsWith(", CONNECTING"), connection.toString());
    }

    @Test
    void failedSetUp_wasNotEstablished() {
        connection.moved(ConnectionState.FAILED, "refused");
        assertFalse(connection.wasEstablished());
    }

    @Test
    void endReason_whileItIsClosing_isTheLastSentence() {
        assertEquals("", connection.endReason());
        connection.moved(ConnectionState.ESTABLISHED, "");
        connection.moved(ConnectionState.CLOSING, "");
        assertEquals("", connection.endReason());
        connection.moved(ConnectionState.CLOSING, "an error is being reported to the peer");
        assertEquals("an error is being reported to the peer", connection.endReason());
        assertEquals("", connection.reason());
        connection.moved(ConnectionState.FAILED, "an error was found");
        assertEquals("an error was found", connection.endReason());
    }

    @Test
    void stepBeforeTheDecision_runsBeforeTheStateIsShown_andNotForARejection() {
        connection.beforeDecision(() -> seen.add(connection.state()));
        connection.moved(ConnectionState.CONNECTING, "");
        assertEquals(List.of(), seen);
        connection.moved(ConnectionState.ESTABLISHED, "");
        assertEquals(List.of(ConnectionState.CONNECTING), seen);
        SoftConnection rejected = new SoftConnection(pair.a.queuePair, world.address());
        rejected.beforeDecision(() -> seen.add(rejected.state()));
        rejected.moved(ConnectionState.REJECTED, "no");
        assertEquals(1, seen.size());
        SoftConnection failed = new SoftConnection(pair.a.queuePair, world.address());
        failed.beforeDecision(() -> seen.add(failed.state()));
        failed.moved(ConnectionState.FAILED, "no answer");
        assertEquals(2, seen.size());
    }

    @Test
    void close_peerThatDoesNotAnswer_endsByForceAfterASecond() throws IOException {
        pair.connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        long beganNs = world.nowNs;
        pair.fromA.close();
        long tookNs = world.nowNs - beganNs;
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals("The application closed the connection at once.", pair.fromA.reason());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertTrue(tookNs >= SECOND_NS && tookNs < 2 * SECOND_NS, () -> "took " + tookNs + " ns");
    }

    @Test
    void close_peerThatAnswers_endsGracefullyWithoutAWait() throws IOException {
        pair.connect();
        long beganNs = world.nowNs;
        pair.fromA.close();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertTrue(world.nowNs - beganNs < SECOND_NS / 10);
    }

    @Test
    void awaitClosed_openConnection_isFalse() throws IOException {
        pair.connect();
        assertFalse(pair.fromA.awaitClosed(Pair.SECOND));
    }
}
