package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.toy.ToyTransport;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The RNIC works with a transport unknown to it: {@link ToyTransport}, one file outside of its package. */
class ToyTransportTest {

    private final ManualWorld world = new ManualWorld(new ToyTransport());

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void connected_sendWriteRead_moveBytesAndComplete() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.fill(7);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 100);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 100, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(
                3, pair.a.memory, 100, 200, pair.b.memory.address() + 100, pair.b.memory.rkey(), WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(0, 300)
                        .mismatch(pair.b.memory.segment().asSlice(0, 300)));
        pair.a.queuePair.postRead(
                4, pair.a.memory, 1000, 300, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("4 SUCCESS"), pair.a.polled());
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(1000, 300)
                        .mismatch(pair.b.memory.segment().asSlice(0, 300)));
    }

    @Test
    void sendWithoutReceive_waitsUntilOneIsPosted() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
        world.advance(2_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
    }

    @Test
    void wrongKey_failsTheWorkAndFlushesBothSides() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(9, pair.b.memory, 0, 8);
        pair.a.queuePair.postWrite(
                1, pair.a.memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey() ^ 1, WrFlags.SIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 REMOTE_ACCESS", "2 FLUSHED"), pair.a.polled());
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(pair.fromB.reason().contains("refused a WRITE"), pair.fromB.reason());
    }

    @Test
    void handler_isNotifiedOfACompletion() throws IOException {
        Pair pair = new Pair(world).connect();
        AtomicInteger runs = new AtomicInteger();
        pair.b.cq.handler(Optional.of(pair.b.rnic.setCompletionHandler(cq -> runs.incrementAndGet())));
        pair.b.cq.requestNotification(Notification.NEXT);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        world.settle();
        assertEquals(1, runs.get());
    }

    @Test
    void disconnect_closesBothSidesAndFlushesReceives() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.fromA.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(List.of("1 FLUSHED"), pair.b.polled());
    }

    @Test
    void nothingListens_isRefused() {
        Pair pair = new Pair(world);
        ConnectionException refused = assertThrows(
                ConnectionException.class,
                () -> pair.a.rnic.connect(pair.a.queuePair, world.address(), ConnectionOptions.defaults()));
        assertEquals(ConnectionException.Kind.REFUSED, refused.kind());
    }

    @Test
    void unsupportedWork_isRejectedAtPosting() throws IOException {
        Pair pair = new Pair(world).connect();
        var atomic = pair.a
                .queuePair
                .newWorkRequest()
                .fetchAndAdd(pair.b.memory.address(), pair.b.memory.rkey(), 1)
                .element(pair.a.memory, 0, 8);
        assertThrows(UnsupportedOperationException.class, () -> pair.a.queuePair.post(atomic));
        assertEquals("toy", pair.a.rnic.query().provider());
    }

    @Test
    void bugInACommand_endsThisQueuePairOnly() throws IOException {
        Pair pair = new Pair(world).connect();
        Pair bystanders = new Pair(world).connect();
        world.expectsBugs = true;
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.a.queuePair.endpoint().command(() -> {
            throw new AssertionError("thrown by this test");
        });
        world.settle();
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(ConnectionState.ESTABLISHED, bystanders.fromA.state());
    }

    @Test
    void abort_endsTheConnectionAndFlushesItsWork() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        SoftConnection old = pair.a.queuePair.endpoint().connection().orElseThrow();
        pair.a.queuePair.endpoint().command(() -> pair.a.queuePair.endpoint().abort(old, "ended by this test"));
        world.settle();
        assertEquals("ended by this test", pair.fromA.reason());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void abortOfAnotherConnection_hasNoEffect() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftConnection other = new SoftConnection(pair.a.queuePair, world.address());
        pair.a.queuePair.endpoint().command(() -> pair.a.queuePair.endpoint().abort(other, "ended by this test"));
        world.settle();
        assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
    }

    @Test
    void twoCompletionQueues_eachIsNotified() throws IOException {
        Pair pair = new Pair(world);
        var receives = pair.b.rnic.createCompletionQueue(16);
        var queuePair = (SoftQueuePair) pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq, receives));
        AtomicInteger notified = new AtomicInteger();
        receives.onReady(notified::incrementAndGet);
        receives.requestNotification(Notification.NEXT);
        queuePair.postReceive(1, pair.b.memory, 0, 8);
        queuePair.close();
        world.settle();
        assertEquals(1, notified.get());
        assertEquals(List.of(), pair.b.polled());
    }
}
