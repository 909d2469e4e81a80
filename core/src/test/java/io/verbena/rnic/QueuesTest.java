package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** CQs that are too small, SRQs, waiting, fairness. */
public class QueuesTest {

    private final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    public ManualWorld newWorld() {
        return new ManualWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void cqTooSmall_overflow_isReportedOnceAndNothingIsLost() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 4, o -> o);
        pair.connect();
        for (int i = 0; i < 10; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        }
        world.settle();
        assertFalse(pair.b.cq.overflowed());
        assertEquals(4, pair.b.cq.size());
        assertEquals(4, pair.a.polled().size());
        pair.a.queuePair.postSend(4, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        world.settle();

        assertTrue(pair.b.cq.overflowed());
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        assertEquals(List.of(AsyncEventType.CQ_OVERFLOW), ManualWorld.events(pair.b.rnic));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20 && all.size() < 10; i++) {
            all.addAll(pair.b.polled());
            world.advance(100_000_000);
        }
        assertEquals(10, all.size(), all.toString());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), all.subList(0, 4));
        assertEquals("9 FLUSHED", all.getLast());
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic));
        world.advance(1_000_000_000);
        assertEquals(Long.MAX_VALUE, pair.b.rnic.engine(0).nextDeadlineNs());
    }

    @Test
    void cqResizedUnderTraffic_entries_stayInOrderAndFit() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 8, o -> o);
        pair.connect();
        List<String> expected = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        int[] sizes = {8, 20, 40, 12, 64, 50};
        int id = 0;
        for (int size : sizes) {
            assertThrows(IllegalArgumentException.class, () -> pair.b.cq.resize(0));
            pair.b.cq.resize(size);
            assertEquals(size, pair.b.cq.capacity());
            for (int i = 0; i < 6; i++) {
                pair.b.queuePair.postReceive(id, pair.b.memory, 0, 8);
                pair.a.queuePair.postSend(id, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
                expected.add(id++ + " SUCCESS");
            }
            world.settle();
            for (int i = 0; i < 4; i++) {
                assertTrue(pair.b.cursor.next());
                seen.add(pair.b.cursor.wrId() + " " + pair.b.cursor.status());
            }
        }
        assertEquals(12, pair.b.cq.size());
        assertThrows(IllegalArgumentException.class, () -> pair.b.cq.resize(11));
        seen.addAll(pair.b.polled());
        assertEquals(expected, seen);
        assertFalse(pair.b.cq.overflowed());
    }

    @Test
    void cqResizedBeforeTheConnection_biggerRing_isUsed() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, o -> o);
        pair.b.cq.resize(64);
        pair.connect();
        for (int i = 0; i < 20; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        }
        world.settle();
        assertEquals(20, pair.b.polled().size());
    }

    @Test
    void cqFull_queuePairClosed_doesNotHang() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, o -> o);
        pair.connect();
        for (int i = 0; i < 10; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        long before = world.nowNs;
        pair.b.queuePair.close();
        assertEquals(before, world.nowNs);
        pair.b.cq.close();
        world.advance(1_000_000_000);
        assertEquals(Long.MAX_VALUE, pair.b.rnic.engine(0).nextDeadlineNs());
    }

    @Test
    void await_entryOrTime_endsIt() throws IOException {
        Pair pair = new Pair(world).connect();
        assertFalse(pair.b.cq.await(Duration.ofMillis(10)));
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        assertTrue(pair.b.cq.await(Pair.SECOND));
        assertTrue(pair.b.cursor.next());
        assertEquals(CompletionOpcode.RECEIVE, pair.b.cursor.opcode());
        assertFalse(pair.b.cursor.next());
        assertEquals(1, pair.b.cursor.wrId(), "values hold");
    }

    @Test
    void severalEngines_oneCq_showsTheWorkOfAll() throws IOException {
        RnicOptions options = RnicOptions.defaults().withEngines(4);
        Pair pair = new Pair(world, options, 256, o -> o);
        pair.connect();
        List<QueuePair> senders = new ArrayList<>(List.of(pair.a.queuePair));
        List<QueuePair> receivers = new ArrayList<>(List.of(pair.b.queuePair));
        for (int i = 0; i < 7; i++) {
            try (var listener = pair.b.rnic.listen(world.address())) {
                QueuePair left = pair.fresh(pair.a);
                QueuePair right = pair.fresh(pair.b);
                var connection = pair.a.rnic.startConnect(left, listener.localAddress(), ConnectionOptions.defaults());
                listener.nextRequest(Pair.SECOND).orElseThrow().accept(right);
                connection.awaitEstablished(Pair.SECOND);
                senders.add(left);
                receivers.add(right);
            }
        }
        for (QueuePair receiver : receivers) {
            receiver.postReceive(receiver.number(), pair.b.memory, 0, 8);
        }
        for (QueuePair sender : senders) {
            sender.postSend(sender.number(), pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        }
        world.settle();
        assertEquals(8, pair.a.cq.size());
        for (int i = 0; i < 8; i++) {
            assertTrue(pair.b.cursor.next());
            assertTrue(pair.b.cursor.ok());
            assertEquals(pair.b.cursor.wrId(), pair.b.cursor.queuePair().number());
        }
        assertFalse(pair.b.cursor.next());
    }

    @Test
    void sharedReceives_manyQueuePairs_takeFromOneQueue() throws IOException {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withEngines(2));
        Pair.Side side = new Pair.Side(rnic, 64, o -> o);
        SharedReceiveQueue srq = side.domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
        QueuePairOptions shared = QueuePairOptions.of(side.cq).withSharedReceiveQueue(srq);
        Pair far = new Pair(world);
        List<QueuePair> senders = new ArrayList<>();
        List<SoftQueuePair> receivers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (var listener = rnic.listen(world.address())) {
                SoftQueuePair receiver = (SoftQueuePair) side.domain.createQueuePair(shared);
                QueuePair sender = far.fresh(far.a);
                var connection = far.a.rnic.startConnect(sender, listener.localAddress(), ConnectionOptions.defaults());
                listener.nextRequest(Pair.SECOND).orElseThrow().accept(receiver);
                connection.awaitEstablished(Pair.SECOND);
                senders.add(sender);
                receivers.add(receiver);
            }
        }
        assertEquals(1, receivers.stream().map(SoftQueuePair::engine).distinct().count());
        assertThrows(IllegalStateException.class, () -> receivers.getFirst().postReceive(1, side.memory, 0, 8));
        for (int i = 0; i < 8; i++) {
            assertTrue(srq.postReceive(i, side.memory, i * 100L, 100));
        }
        assertFalse(srq.postReceive(8, side.memory, 0, 8));
        assertEquals(8, srq.capacity());
        srq.armLimit(6);
        assertEquals(8, srq.available());
        for (int i = 0; i < 3; i++) {
            senders.get(i).postSend(i, far.a.memory, 0, 10 + i, WrFlags.SIGNALLED);
        }
        world.settle();
        assertEquals(5, srq.available());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), side.polled());
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), ManualWorld.events(rnic));
        receivers.getFirst().modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertEquals(List.of(AsyncEventType.LAST_WQE_REACHED), ManualWorld.events(rnic));
        assertEquals(5, srq.available(), "unused receives remain");
        assertThrows(IllegalStateException.class, srq::close);
        receivers.forEach(SoftQueuePair::close);
        srq.close();
        assertThrows(IllegalStateException.class, () -> srq.postReceive(1, side.memory, 0, 8));
    }

    @Test
    void greedyConnection_othersAreServedEachTurn() throws IOException {
        world.network.pipeBytes = 1 << 22;
        Pair pair = new Pair(world).connect();
        QueuePair small = pair.fresh(pair.a);
        QueuePair smallPeer = pair.fresh(pair.b);
        try (var listener = pair.b.rnic.listen(world.address())) {
            var connection = pair.a.rnic.startConnect(small, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().accept(smallPeer);
            connection.awaitEstablished(Pair.SECOND);
        }
        world.settle();
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postWrite(i, pair.a.memory, 0, 1 << 20, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        }
        small.postWrite(9, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.a.rnic.engine(0).turn(world.nowNs);
        assertEquals(List.of("9 SUCCESS"), pair.a.polled(), "8 bytes do not wait for 4 MiB");
        world.settle();
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
    }

    @Test
    void idleRnic_noDeadlineAndNoWork() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 0, WrFlags.SIGNALLED);
        assertTrue(pair.a.rnic.engine(0).hasWork());
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        world.settle();
        assertFalse(pair.a.rnic.engine(0).hasWork());
        long digest = pair.a.rnic.stateDigest();
        assertEquals(digest, pair.a.rnic.stateDigest());
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.fromA.disconnect();
        world.settle();
        assertTrue(digest != pair.a.rnic.stateDigest());
    }

    @Test
    void delay_holdsTheQueueForItsTime() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.post(
                pair.a.queuePair.newWorkRequest().delay(50_000_000).id(1));
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        long before = world.nowNs;
        assertTrue(pair.a.cq.await(Pair.SECOND));
        assertEquals(50_000_000, world.nowNs - before);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }
}
