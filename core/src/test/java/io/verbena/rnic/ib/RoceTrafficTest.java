package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verbs programs over connections of the InfiniBand transport, on networks with and without faults. */
class RoceTrafficTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private static List<AsyncEventType> events(Pair.Side side) {
        return side.rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::type)
                .toList();
    }

    private static void assertSame(Pair pair, long from, long to, long length) {
        assertEquals(
                -1,
                pair.a
                        .memory
                        .segment()
                        .asSlice(from, length)
                        .mismatch(pair.b.memory.segment().asSlice(to, length)));
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1024, 4096})
    void sendWriteReadAtomic_moveBytesAndComplete(int mtuBytes) throws IOException {
        RnicOptions options = RnicOptions.defaults().withInfiniband(it -> it.withPathMtuBytes(mtuBytes));
        Pair pair = new Pair(world, options, 64, it -> it).connect();
        assertEquals(mtuBytes, pair.b.queuePair.query().maxFrameBytes());
        pair.a.fill(7);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 100_000);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(
                3, pair.a.memory, 100_000, 200_001, pair.b.memory.remote(), 100_000, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertSame(pair, 0, 0, 300_001);
        pair.a.queuePair.postRead(4, pair.a.memory, 400_000, 300_001, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.b.memory.segment().set(JAVA_LONG_UNALIGNED, 800_000, 40);
        pair.a.queuePair.postFetchAndAdd(
                5,
                pair.a.memory,
                800_000,
                pair.b.memory.address() + 800_000,
                pair.b.memory.rkey(),
                2,
                WrFlags.SIGNALLED);
        pair.a.queuePair.postCompareAndSwap(
                6,
                pair.a.memory,
                800_008,
                pair.b.memory.address() + 800_000,
                pair.b.memory.rkey(),
                42,
                77,
                WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("4 SUCCESS", "5 SUCCESS", "6 SUCCESS"), pair.a.polled());
        assertSame(pair, 400_000, 0, 300_001);
        assertEquals(40, pair.a.memory.segment().get(JAVA_LONG_UNALIGNED, 800_000));
        assertEquals(42, pair.a.memory.segment().get(JAVA_LONG_UNALIGNED, 800_008));
        assertEquals(77, pair.b.memory.segment().get(JAVA_LONG_UNALIGNED, 800_000));
    }

    @Test
    void immediateAndInvalidate_areInTheCompletion() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryWindow window = pair.b.domain.allocateWindow();
        int key = window.bindFor(
                        pair.b.queuePair,
                        pair.b.domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.BIND),
                        0,
                        64,
                        AccessRight.REMOTE_WRITE)
                .rkey();
        for (int i = 1; i <= 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 64);
        }
        pair.a.queuePair.post(
                pair.a.queuePair.newWorkRequest().sendWithImmediate(0x1234_5678).element(pair.a.memory, 0, 8));
        pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .writeWithImmediate(pair.b.memory.address(), pair.b.memory.rkey(), 9)
                .element(pair.a.memory, 0, 8));
        pair.a.queuePair.post(
                pair.a.queuePair.newWorkRequest().sendWithInvalidate(key).element(pair.a.memory, 0, 8));
        world.settle();
        CompletionCursor cursor = pair.b.cursor;
        assertTrue(cursor.next());
        assertEquals(0x1234_5678, cursor.immediate());
        assertTrue(cursor.next());
        assertEquals(9, cursor.immediate());
        assertTrue(cursor.next());
        assertEquals(CompletionStatus.SUCCESS, cursor.status());
        assertTrue(cursor.hasInvalidatedKey());
        assertFalse(window.bound());
    }

    /** A Read longer than half of the window is sent as several requests, and a one-shot key permits one message. */
    @Test
    void longRead_withAOneShotKey_isOneMessage() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryRegion region = pair.b.domain.allocate(900_000, AccessRight.LOCAL_WRITE, AccessRight.BIND);
        MemoryWindow window =
                pair.b.domain.allocateWindow(WindowOptions.defaults().withOneShot(true));
        pair.b.queuePair.post(
                pair.b.queuePair.newWorkRequest().bind(window, region, 0, 900_000, AccessRight.REMOTE_READ));
        world.settle();
        region.segment().fill((byte) 7);
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 800_000, window.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertEquals(7, pair.a.memory.segment().get(JAVA_BYTE, 799_999));
        pair.a.queuePair.postRead(4, pair.a.memory, 0, 8, window.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("4 REMOTE_ACCESS"), pair.a.polled());
    }

    @Test
    void sendWithoutReceive_isRepeatedUntilOneIsPosted() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.advance(100_000_000);
        assertEquals(List.of(), pair.a.polled());
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
        world.advance(2_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
    }

    @Test
    void sendWithoutReceive_retriesExhausted_failsTheSend() throws IOException {
        Pair pair = new Pair(world)
                .connect(ConnectionOptions.defaults().toBuilder().retries(3, 3).build());
        pair.b.queuePair.postSend(1, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        assertTrue(pair.fromB.awaitClosed(MINUTE));
        assertEquals(List.of("1 RECEIVER_NOT_READY"), pair.b.polled());
    }

    @Test
    void sendLongerThanTheReceive_failsBothSides() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 9, WrFlags.SIGNALLED);
        assertTrue(pair.fromA.awaitClosed(MINUTE));
        assertEquals(List.of("2 REMOTE_INVALID_REQUEST"), pair.a.polled());
        assertEquals(List.of("1 LOCAL_LENGTH"), pair.b.polled());
        assertEquals(List.of(AsyncEventType.QP_REQUEST_ERROR), events(pair.b));
    }

    @Test
    void sharedReceives_limitReached_isReported() throws IOException {
        Pair.Side server = new Pair.Side(world.rnic(), 64, o -> o);
        SharedReceiveQueue srq = server.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(16));
        Pair.Side client = new Pair.Side(world.rnic(), 64, o -> o);
        List<QueuePair> senders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            QueuePair there =
                    server.domain.createQueuePair(QueuePairOptions.of(server.cq).withSharedReceiveQueue(srq));
            QueuePair here = client.domain.createQueuePair(client.cq);
            try (var listener = server.rnic.listen(world.address())) {
                var opening = client.rnic.startConnect(here, listener.localAddress(), ConnectionOptions.defaults());
                listener.nextRequest(Pair.SECOND).orElseThrow().accept(there);
                opening.awaitEstablished(Pair.SECOND);
            }
            senders.add(here);
        }
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, server.memory, i * 8L, 8);
        }
        srq.armLimit(3);
        senders.forEach(each -> each.postSend(9, client.memory, 0, 8, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(3, server.polled().size());
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), events(server));
        senders.get(0).close();
        world.settle();
        assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE, AsyncEventType.LAST_WQE_REACHED), sorted(events(server)));
    }

    private static List<AsyncEventType> sorted(List<AsyncEventType> events) {
        return events.stream().sorted((a, b) -> a.name().compareTo(b.name())).toList();
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
    void completionQueueFull_isReportedAndNothingIsLost() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, o -> o).connect();
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postWrite(i, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        }
        world.settle();
        assertEquals(List.of(AsyncEventType.CQ_OVERFLOW), events(pair.a));
        assertEquals(InfinibandQueuePairState.ERR, pair.a.queuePair.state());
        List<String> all = new ArrayList<>(pair.a.polled());
        for (int i = 0; i < 4; i++) {
            world.advance(100_000_000);
            all.addAll(pair.a.polled());
        }
        assertEquals(4, all.size(), all.toString());
    }

    @Test
    void portTakesFewPackets_everythingArrives() throws IOException {
        world.packets.packetsPerCall = 3;
        Pair pair = new Pair(world).connect();
        pair.a.fill(3);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 500_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.b.queuePair.postRead(2, pair.b.memory, 500_000, 500_000, pair.a.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
        assertSame(pair, 0, 0, 500_000);
        assertSame(pair, 0, 500_000, 500_000);
    }

    @Test
    void portBreaks_everyQueuePairFailsAndTheRnicReportsIt() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.packets.broken = true;
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        world.packets.broken = false;
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(pair.fromA.reason().contains("the network is gone"), pair.fromA.reason());
        assertEquals(List.of("2 FLUSHED", "1 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.RNIC_FATAL), events(pair.a));
        Connection after =
                pair.a.rnic.startConnect(pair.fresh(pair.a), ManualWorld.roceAddress(2), ConnectionOptions.defaults());
        assertThrows(ConnectionException.class, () -> after.awaitEstablished(Pair.SECOND));
        assertEquals(ConnectionState.FAILED, after.state());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void faultyNetwork_everythingArrivesOnceAndInOrder(long seed) throws IOException {
        world.packetFaults = PacketFaults.none()
                .withLoss(20)
                .withDuplicates(15)
                .withHolds(10, 300_000)
                .withFlips(40);
        Pair pair = new Pair(world);
        pair.connect(ConnectionOptions.defaults().withTimeout(MINUTE));
        SplittableRandom random = new SplittableRandom(seed);
        int rounds = 40;
        for (int i = 0; i < rounds; i++) {
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 100_000, 4_000));
        }
        int next = 0;
        for (int i = 0; i < rounds; i++) {
            int length = 1 + random.nextInt(4_000);
            pair.a.memory.segment().asSlice(0, length).fill((byte) i);
            assertTrue(pair.a.queuePair.postSend(i, pair.a.memory, 0, length, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postFetchAndAdd(
                    1000 + i,
                    pair.a.memory,
                    200_000,
                    pair.b.memory.address(),
                    pair.b.memory.rkey(),
                    1,
                    WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postRead(
                    2000 + i, pair.a.memory, 300_000, length, pair.b.memory.remote(), 100_000, WrFlags.SIGNALLED));
            for (int step = 0; step < 3; step++) {
                assertTrue(pair.a.cq.await(MINUTE), pair.fromA.toString());
                assertTrue(pair.a.cursor.next());
                assertEquals(CompletionStatus.SUCCESS, pair.a.cursor.status());
                assertEquals(step * 1000L + i, pair.a.cursor.wrId());
            }
            assertTrue(pair.b.cursor.next());
            assertEquals(next++, pair.b.cursor.wrId());
            assertEquals(length, pair.b.cursor.byteCount());
            for (int at : new int[] {0, length - 1}) {
                assertEquals((byte) i, pair.b.memory.segment().get(JAVA_BYTE, 100_000 + at));
                assertEquals((byte) i, pair.a.memory.segment().get(JAVA_BYTE, 300_000 + at));
            }
        }
        assertEquals(rounds, pair.b.memory.segment().get(JAVA_LONG_UNALIGNED, 0), "each atomic took effect once");
        pair.fromA.disconnect();
        assertTrue(pair.fromA.awaitClosed(MINUTE));
        assertTrue(pair.fromB.awaitClosed(MINUTE));
    }

    @Test
    void notConnected_sendIsRefused() {
        Pair pair = new Pair(world);
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
    }
}
