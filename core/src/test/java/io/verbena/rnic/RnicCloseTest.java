package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the end of an RNIC or of a listener means for work, connections and peers. */
@SuppressWarnings("NullAway.Init") // made before each test
class RnicCloseTest {

    private final ManualWorld world = new ManualWorld();
    private static final long SHORT_NS = 50_000_000;

    private Pair pair;

    @BeforeEach
    void open() throws IOException {
        pair = new Pair(world).connect();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void delay(Duration time, long wrId) {
        assertTrue(pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .delay(time.toNanos())
                .flags(WrFlags.SIGNALLED)
                .id(wrId)));
    }

    @Test
    void gracefulClose_workThatFitsIntoTheGrace_completes() {
        pair.b.queuePair.postReceive(9, pair.b.memory, 0, 8);
        delay(Duration.ofMillis(500), 1);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.rnic.close(Duration.ofSeconds(2));
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        world.settle();
        assertEquals("9 SUCCESS", pair.b.polled().getFirst());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
    }

    @Test
    void gracefulClose_workThatTakesLonger_isFlushedAfterTheGrace() {
        delay(Duration.ofMinutes(10), 1);
        long beforeNs = world.nowNs;
        pair.a.rnic.close(Duration.ofSeconds(2));
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        long tookNs = world.nowNs - beforeNs;
        assertTrue(tookNs >= 2_000_000_000L && tookNs < 5_000_000_000L, () -> "took " + tookNs + " ns");
    }

    @Test
    void gracefulClose_withoutWork_doesNotWait() {
        long beganNs = world.nowNs;
        pair.a.rnic.close(Duration.ofSeconds(2));
        assertTrue(world.nowNs - beganNs < SHORT_NS, () -> "took " + (world.nowNs - beganNs) + " ns");
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
    }

    @Test
    void gracefulClose_handlersProcessTheFlushedWork() {
        List<Long> handled = new ArrayList<>();
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(cq -> {
            while (pair.a.cursor.next()) {
                handled.add(pair.a.cursor.wrId());
            }
        })));
        pair.a.cq.requestNotification(Notification.NEXT);
        for (int i = 0; i < 3; i++) {
            pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8);
        }
        pair.a.rnic.close(Duration.ofSeconds(2));
        assertEquals(List.of(0L, 1L, 2L), handled);
    }

    @Test
    void close_peerHangs_connectionEndsByForceAfterASecond() {
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        long beganNs = world.nowNs;
        pair.a.rnic.close();
        long tookNs = world.nowNs - beganNs;
        assertTrue(tookNs >= 1_000_000_000L && tookNs < 2_500_000_000L, () -> "took " + tookNs + " ns");
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals("The RNIC was closed.", pair.fromA.reason());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void closedQueuePair_withoutConnection_doesNotWait() {
        var unused = pair.fresh(pair.a);
        unused.postReceive(1, pair.a.memory, 0, 8);
        long beganNs = world.nowNs;
        unused.close();
        assertTrue(world.nowNs - beganNs < SHORT_NS);
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void gracefulClose_meanwhile_noWorkIsAccepted() {
        List<Throwable> refusals = new ArrayList<>();
        pair.a.cq.onReady(() -> refusals.add(assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED))));
        pair.a.cq.requestNotification(Notification.NEXT);
        delay(Duration.ofMillis(500), 1);
        pair.a.rnic.close(Duration.ofSeconds(2));
        assertEquals(1, refusals.size());
        assertEquals(
                "the RNIC is being closed and does not accept work",
                refusals.getFirst().getMessage());
    }

    @Test
    void close_endsConnectionsListenersAndMemory_andThePeerSeesAGracefulEnd() throws IOException {
        Listener listener = pair.a.rnic.listen(world.address());
        MemoryRegion memory = pair.a.memory;
        delay(Duration.ofMinutes(10), 1);
        pair.a.rnic.close();
        assertTrue(listener.closed());
        assertTrue(pair.fromA.state().ended());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertThrows(IllegalStateException.class, () -> pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.cq)));
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.postReceive(1, memory, 0, 8));
        world.settle();
        assertTrue(pair.fromB.state().ended());
        pair.a.rnic.close();
        pair.a.rnic.close(Duration.ofSeconds(1));
    }

    // Listeners.

    @Test
    void listenerClosed_requestThatWaits_isNotTaken_andItsPeerIsRefused() throws IOException {
        Listener listener =
                pair.b.rnic.listen(world.address(), ListenOptions.defaults().withBacklog(1));
        Connection opening =
                pair.a.rnic.startConnect(pair.fresh(pair.a), listener.localAddress(), ConnectionOptions.defaults());
        world.settle();
        listener.close();
        world.settle();
        assertEquals(Optional.empty(), listener.nextRequest(Duration.ofMinutes(1)));
        assertTrue(opening.awaitClosed(Pair.SECOND));
        Connection late =
                pair.a.rnic.startConnect(pair.fresh(pair.a), listener.localAddress(), ConnectionOptions.defaults());
        assertThrows(ConnectionException.class, () -> late.awaitEstablished(Duration.ofMinutes(1)));
        listener.close();
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.b.rnic.listen(
                        world.address(), ListenOptions.defaults().withBacklog(0)));
    }

    @Test
    void listenerCallback_setWhileARequestWaits_runs() throws IOException {
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            pair.a.rnic.startConnect(pair.fresh(pair.a), listener.localAddress(), ConnectionOptions.defaults());
            world.settle();
            List<Integer> calls = new ArrayList<>();
            listener.onReady(() -> calls.add(1));
            world.settle();
            assertEquals(List.of(1), calls);
            assertTrue(listener.nextRequest(Duration.ZERO).isPresent());
        }
    }
}
