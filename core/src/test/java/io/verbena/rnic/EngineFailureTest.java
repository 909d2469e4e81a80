package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.fixture.MemoryStream;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect of an internal error, or of an error of the JVM: it ends one queue pair, or at most one engine. */
class EngineFailureTest {

    private final ManualWorld world = new ManualWorld();

    @BeforeEach
    void expectBugs() {
        world.expectsBugs = true;
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** An endpoint whose methods all fail. */
    private static final class Hopeless extends Endpoint {
        @Override
        protected void service(long nowNs) {
            throw new StackOverflowError("on purpose");
        }

        @Override
        protected void onDeadline(long nowNs) {}

        @Override
        protected void onBug(String sentence, long nowNs) {
            throw new AssertionError("this method fails too");
        }

        @Override
        protected long stateDigest() {
            return 0;
        }
    }

    /** Connects another pair of queue pairs on the same RNICs. */
    private QueuePair[] bystanders(Pair pair) throws IOException {
        QueuePair near = pair.fresh(pair.a);
        QueuePair far = pair.fresh(pair.b);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection opening = pair.a.rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().accept(far);
            opening.awaitEstablished(Pair.SECOND);
        }
        world.settle();
        return new QueuePair[] {near, far};
    }

    private void exchange(Pair pair, QueuePair... bystanders) {
        bystanders[1].postReceive(71, pair.b.memory, 0, 100);
        bystanders[0].postSend(72, pair.a.memory, 0, 100, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("72 SUCCESS"), pair.a.polled());
        assertTrue(pair.b.polled().contains("71 SUCCESS"));
    }

    private MemoryStream stream(Connection connection) {
        return world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(connection.localAddress()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void servingThrowsError_oneConnectionEnds_othersContinue() throws IOException {
        Pair pair = new Pair(world).connect();
        QueuePair[] others = bystanders(pair);
        stream(pair.fromA).atUse(() -> {
            throw new StackOverflowError("on purpose");
        });
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        List<String> handled = new ArrayList<>();
        pair.a.cq.onReady(() -> handled.addAll(pair.a.polled()));
        pair.a.cq.requestNotification(Notification.NEXT);
        world.settle();
        assertEquals(List.of("2 FLUSHED", "1 FLUSHED"), handled);
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(List.of(AsyncEventType.QP_FATAL), ManualWorld.events(pair.a.rnic));
        exchange(pair, others);
    }

    @Test
    void commandThrowsError_ofAQueuePair_endsThatOne() throws IOException {
        Pair pair = new Pair(world).connect();
        QueuePair[] others = bystanders(pair);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.a.queuePair.endpoint().command(() -> {
            throw new AssertionError("on purpose");
        });
        pair.a.queuePair.engine().submit(() -> {
            throw new AssertionError("on purpose");
        });
        world.settle();
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        exchange(pair, others);
    }

    @Test
    void setUpThrowsError_connectionFails() {
        Pair pair = new Pair(world);
        List<MemoryStream> accepted = world.network.acceptAt(world.address());
        world.network.atAttach = () -> {
            throw new IllegalStateException("on purpose");
        };
        Connection connection =
                pair.a.rnic.startConnect(pair.a.queuePair, world.network.lastAddress(), ConnectionOptions.defaults());
        assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Pair.SECOND));
        assertEquals(ConnectionState.FAILED, connection.state());
        assertEquals(1, accepted.size());
    }

    @Test
    void engineFails_itsQueuePairsAreInErrorAndFlushed_otherEnginesContinue() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults().withEngines(2), 64, o -> o).connect();
        QueuePair[] others = bystanders(pair);
        RnicEngine doomed = pair.a.queuePair.engine();
        assertNotEquals(doomed, ((SoftQueuePair) others[0]).engine());
        Listener listener = pair.a.rnic.listen(world.address());
        SoftQueuePair idle = (SoftQueuePair) pair.fresh(pair.a);
        assertEquals(doomed, idle.engine());
        idle.postReceive(1, pair.a.memory, 0, 8);
        pair.a.queuePair.postReceive(2, pair.a.memory, 0, 8);
        List<String> handled = new ArrayList<>();
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(cq -> handled.addAll(pair.a.polled()))));
        pair.a.cq.requestNotification(Notification.NEXT);

        Hopeless hopeless = new Hopeless();
        doomed.join(hopeless);
        doomed.ready(hopeless);
        world.settle();

        assertTrue(handled.containsAll(List.of("1 FLUSHED", "2 FLUSHED")), handled.toString());
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals(IwarpQueuePairState.ERROR, idle.state());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(pair.fromA.reason().contains("has failed"), pair.fromA.reason());
        assertTrue(ManualWorld.events(pair.a.rnic).contains(AsyncEventType.RNIC_FATAL));
        assertTrue(pair.fromB.state().ended(), "the peer is notified");
        assertTrue(listener.closed());
        exchange(pair, others);
        // Work posted to a failed engine is flushed, so that no program waits for it.
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        idle.close();
        world.settle();
        assertEquals(List.of("3 FLUSHED"), pair.a.polled());
        assertFalse(doomed.hasWork());
        assertEquals(0, doomed.members());
        // New work is assigned to engines that run.
        for (int i = 0; i < 3; i++) {
            assertNotEquals(doomed, ((SoftQueuePair) pair.fresh(pair.a)).engine());
        }
        QueuePair late = pair.fresh(pair.a);
        try (Listener again = pair.a.rnic.listen(world.address())) {
            Connection opening =
                    pair.b.rnic.startConnect(pair.fresh(pair.b), again.localAddress(), ConnectionOptions.defaults());
            again.nextRequest(Pair.SECOND).orElseThrow().accept(late);
            opening.awaitEstablished(Pair.SECOND);
        }
    }

    @Test
    void onlyEngineFails_newObjectsAreRefusedAndCloseIsClean() throws IOException {
        Pair pair = new Pair(world).connect();
        assertTrue(pair.a.queuePair.engine().onFailure(new OutOfMemoryError("on purpose")));
        assertFalse(pair.a.queuePair.engine().onFailure(new OutOfMemoryError("again")));
        assertEquals(
                List.of(AsyncEventType.RNIC_FATAL),
                ManualWorld.events(pair.a.rnic).stream()
                        .filter(type -> type == AsyncEventType.RNIC_FATAL)
                        .toList());
        VerbsException refused = assertThrows(VerbsException.class, () -> pair.fresh(pair.a));
        assertTrue(String.valueOf(refused.getMessage()).contains("engine"), refused.getMessage());
        assertThrows(VerbsException.class, () -> pair.a.rnic.listen(world.address()));
        pair.a.queuePair.close();
        pair.a.memory.close();
        pair.a.rnic.close();
    }
}
