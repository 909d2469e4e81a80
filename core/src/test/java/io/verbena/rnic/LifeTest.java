package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.objects.AsyncEvents;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ends of connections, queue pairs and RNICs: every request completes once, and no resource is leaked. */
class LifeTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void batchNeverRung_queuePairCloses_itsWorkIsFlushedAndNeverSent() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(9, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.queuePair.postReceive(3, pair.a.memory, 0, 8);
        pair.a.queuePair.close();
        assertEquals(List.of("1 FLUSHED", "2 FLUSHED", "3 FLUSHED"), pair.a.polled());
        world.settle();
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
    }

    @Test
    void batchNeverRung_rnicCloses_itsWorkIsFlushed() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.queuePair.postReceive(3, pair.a.memory, 0, 8);
        pair.a.rnic.close();
        assertEquals(List.of("2 FLUSHED", "3 FLUSHED"), pair.a.polled());
    }

    @Test
    void batchNeverRung_movedToIdle_isRefusedUntilItIsRung() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertTrue(pair.fromA.awaitClosed(Pair.SECOND));
        QueuePairChange idle = QueuePairChange.to(IwarpQueuePairState.IDLE);
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(idle));
        pair.a.queuePair.ringDoorbell();
        world.settle();
        assertEquals(List.of("2 FLUSHED"), pair.a.polled());
        pair.a.queuePair.modify(idle);
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
    }

    @Test
    void rts_wrongKey_terminatesAndNotifiesBothSides() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postRead(
                1, pair.a.memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey() + 1, WrFlags.SIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.b.queuePair.postReceive(3, pair.b.memory, 0, 8);
        assertTrue(pair.fromA.awaitClosed(Pair.SECOND.multipliedBy(2)));
        assertTrue(pair.fromB.awaitClosed(Pair.SECOND.multipliedBy(2)));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertEquals(List.of("1 REMOTE_ACCESS", "2 FLUSHED"), pair.a.polled());
        assertEquals(List.of("3 FLUSHED"), pair.b.polled());
        assertEquals(List.of(AsyncEventType.TERMINATE_RECEIVED), ManualWorld.events(pair.a.rnic));
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERROR), ManualWorld.events(pair.b.rnic));
        assertTrue(pair.fromA.reason().contains("key"), pair.fromA.reason());
        assertFalse(pair.fromA.termination().orElseThrow().byUs());
        assertTrue(pair.fromB.termination().orElseThrow().byUs());
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals(0, pair.b.rnic.engine(0).members());
    }

    /** The second side terminates; the first one does not answer, and its TCP does not acknowledge the Terminate message. */
    private MemoryStream terminatedAndNotAcknowledged(Pair pair) {
        MemoryStream stream = world.network.streams.stream()
                .filter(each -> each.localAddress().equals(pair.fromB.localAddress()))
                .findFirst()
                .orElseThrow();
        stream.acknowledged(false);
        stream.out().capacity(0);
        pair.a.queuePair.postRead(
                1, pair.a.memory, 0, 8, pair.b.memory.address(), pair.b.memory.rkey() + 1, WrFlags.SIGNALLED);
        world.settle();
        world.hang(pair.a.rnic, pair.fromA.localAddress());
        stream.out().capacity(1 << 16);
        world.settle();
        assertTrue(pair.fromB.termination().orElseThrow().byUs());
        return stream;
    }

    @Test
    void terminateSent_notAcknowledged_lingersUntilItIs() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryStream stream = terminatedAndNotAcknowledged(pair);
        assertFalse(pair.fromB.awaitClosed(Duration.ofSeconds(8)));
        assertFalse(stream.closed());
        stream.acknowledged(true);
        assertTrue(pair.fromB.awaitClosed(Pair.SECOND));
        assertEquals(0, pair.b.rnic.engine(0).members());
    }

    @Test
    void terminateSent_neverAcknowledged_lingersForALimitedTime() throws IOException {
        Pair pair = new Pair(world).connect();
        MemoryStream stream = terminatedAndNotAcknowledged(pair);
        assertFalse(pair.fromB.awaitClosed(Duration.ofSeconds(14)));
        assertTrue(pair.fromB.awaitClosed(Duration.ofSeconds(2)));
        assertTrue(stream.closedAbortively());
    }

    @Test
    void terminateSent_acknowledgedButNotAnswered_lingersForASecond() throws IOException {
        Pair pair = new Pair(world).connect();
        terminatedAndNotAcknowledged(pair).acknowledged(true);
        assertTrue(pair.fromB.awaitClosed(Pair.SECOND.multipliedBy(2)));
    }

    @Test
    void rts_streamBreaks_workFlushedAndEventRaised() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        world.network.streams.forEach(MemoryStream::reset);
        world.settle();
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.CONNECTION_RESET), ManualWorld.events(pair.a.rnic));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertTrue(pair.fromA.reason().contains("reset"), pair.fromA.reason());
    }

    @Test
    void rts_peerAbortsWithReadsOutstanding_readFails() throws IOException {
        Pair pair = new Pair(world).connect();
        world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(pair.fromB.localAddress()))
                .forEach(stream -> stream.out().capacity(0));
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 100_000, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED);
        world.settle();
        pair.b.queuePair.close();
        world.settle();
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    @Test
    void disconnect_peerDoesNotAnswer_endsAnyway() throws IOException {
        Pair pair = new Pair(world).connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.fromA.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        assertEquals(IwarpQueuePairState.CLOSING, pair.a.queuePair.state());
        assertFalse(pair.fromA.awaitClosed(Duration.ofSeconds(4)));
        assertTrue(pair.fromA.awaitClosed(Duration.ofSeconds(4)));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(0, pair.a.rnic.engine(0).members());
    }

    @Test
    void disconnect_peerStillHasWorkForALongTime_itsBytesExtendTheClose() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 3; i++) {
            pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8);
            pair.b.queuePair.post(pair.b
                    .queuePair
                    .newWorkRequest()
                    .delay(3_000_000_000L)
                    .flags(WrFlags.UNSIGNALLED)
                    .id(10 + i));
            pair.b.queuePair.postSend(20 + i, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        }
        pair.fromA.disconnect();
        assertFalse(pair.fromA.awaitClosed(Duration.ofSeconds(8)));
        assertTrue(pair.fromA.awaitClosed(Duration.ofSeconds(2)));
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertEquals(List.of("20 SUCCESS", "21 SUCCESS", "22 SUCCESS"), pair.b.polled());
    }

    @Test
    void peerClosedAndReadsNothing_workPending_endsAnyway() throws IOException {
        Pair pair = new Pair(world).connect();
        world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(pair.fromB.localAddress()))
                .forEach(stream -> stream.out().capacity(0));
        pair.b.queuePair.postSend(1, pair.b.memory, 0, 100_000, WrFlags.SIGNALLED);
        world.settle();
        pair.fromA.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSING, pair.fromB.state());
        assertTrue(pair.fromB.awaitClosed(Duration.ofSeconds(10)));
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertEquals(List.of("1 CONNECTION_LOST"), pair.b.polled());
    }

    @Test
    void disconnect_farewellCannotBeSent_endsAnyway() throws IOException {
        Pair pair = new Pair(world).connect(ConnectionOptions.defaults().withKeepAlive(Duration.ZERO));
        world.network.streams.forEach(stream -> stream.out().capacity(0));
        pair.fromA.disconnect();
        assertFalse(pair.fromA.awaitClosed(Duration.ofSeconds(4)));
        assertTrue(pair.fromA.awaitClosed(Duration.ofSeconds(4)));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        world.settle();
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    @Test
    void close_peerReadsNothing_isAbortiveAfterOneSecond() throws IOException {
        Pair pair = new Pair(world).connect();
        world.network.streams.forEach(stream -> stream.out().capacity(0));
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        long before = world.nowNs;
        pair.fromA.close();
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(world.nowNs - before <= 2_000_000_000L);
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void modify_allowedAndForbiddenMoves() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        assertThrows(IllegalStateException.class, () -> queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE)));
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR)));
        assertThrows(
                UnsupportedOperationException.class,
                () -> queuePair.modify(QueuePairChange.none().withReads(1, 1)));
        queuePair.modify(QueuePairChange.to(IwarpQueuePairState.RTS));
        queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        assertEquals(Set.of(AccessRight.REMOTE_READ), queuePair.query().remoteRights());
        queuePair.modify(QueuePairChange.to(IwarpQueuePairState.CLOSING));
        world.settle();
        assertEquals(IwarpQueuePairState.IDLE, queuePair.state());
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        QueuePair idle = pair.fresh(pair.a);
        assertThrows(IllegalStateException.class, () -> idle.modify(QueuePairChange.to(IwarpQueuePairState.CLOSING)));
        idle.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(IwarpQueuePairState.ERROR, idle.state());
    }

    @Test
    void objectsInUse_closed_refuse() throws IOException {
        Pair pair = new Pair(world).connect();
        assertThrows(IllegalStateException.class, () -> pair.a.cq.close());
        assertThrows(IllegalStateException.class, () -> pair.a.domain.close());
        pair.a.queuePair.close();
        pair.a.cq.close();
        assertThrows(IllegalStateException.class, () -> pair.a.domain.close());
        pair.a.memory.close();
        pair.a.memory.close();
        pair.a.domain.close();
        pair.a.domain.close();
        assertThrows(IllegalStateException.class, () -> pair.a.domain.allocate(8));
        assertEquals(0, pair.a.rnic.context().regions().size());
    }

    @Test
    void region_keyRenewed_oldKeyIsInvalid() throws IOException {
        Pair pair = new Pair(world).connect();
        int old = pair.b.memory.rkey();
        int fresh = pair.b.memory.renewKey();
        assertEquals(fresh, pair.b.memory.rkey());
        assertTrue(pair.b.memory.valid());
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.address(), fresh, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, pair.b.memory.address(), old, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
    }

    @Test
    void region_arenaClosedUnderTraffic_operationFailsAndIsReported() throws IOException {
        Pair pair = new Pair(world).connect();
        Arena arena = Arena.ofShared();
        MemoryRegion region = pair.a.domain.register(arena.allocate(1 << 16), AccessRight.LOCAL_WRITE);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 1 << 16);
        pair.a.queuePair.postSend(2, region, 0, 1 << 16, WrFlags.SIGNALLED);
        arena.close();
        world.settle();
        assertEquals(List.of("2 LOCAL_MEMORY"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.QP_FATAL, AsyncEventType.REGION_LOST), ManualWorld.events(pair.a.rnic));
        assertFalse(region.valid());
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.postSend(3, region, 0, 8, WrFlags.SIGNALLED.withInline()));
        region.close();
    }

    @Test
    void thousandCycles_leakNothing() throws IOException {
        Pair pair = new Pair(world);
        for (int i = 0; i < 1000; i++) {
            Pair.Side a = pair.a;
            QueuePair left = pair.fresh(a);
            QueuePair right = pair.fresh(pair.b);
            try (var listener = pair.b.rnic.listen(world.address())) {
                Connection from = a.rnic.startConnect(left, listener.localAddress(), ConnectionOptions.defaults());
                Connection to = listener.nextRequest(Pair.SECOND).orElseThrow().accept(right);
                from.awaitEstablished(Pair.SECOND);
                right.postReceive(1, pair.b.memory, 0, 8);
                left.postSend(2, a.memory, 0, 8, WrFlags.SIGNALLED);
                world.settle();
                switch (i % 4) {
                    case 0 -> from.close();
                    case 1 -> to.disconnect();
                    case 2 -> world.network.streams.forEach(MemoryStream::reset);
                    default -> left.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
                }
                world.settle();
                assertTrue(from.state().ended() && to.state().ended(), i + ": " + from + " / " + to);
            }
            left.close();
            right.close();
            assertEquals(List.of("2 SUCCESS"), a.polled());
            assertEquals(List.of("1 SUCCESS"), pair.b.polled());
            ManualWorld.events(pair.a.rnic);
            ManualWorld.events(pair.b.rnic);
        }
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            assertEquals(0, side.rnic.engine(0).members());
            assertEquals(0, side.rnic.engine(0).pool().lent());
            assertEquals(1, side.rnic.context().queuePairs().size());
            assertEquals(Long.MAX_VALUE, side.rnic.engine(0).nextDeadlineNs());
            assertFalse(side.rnic.engine(0).hasWork());
        }
        assertEquals(List.of(), world.network.streams);
    }

    @Test
    void rnicClosed_connectionsEstablished_endGracefullyAndNothingRunsAfter() throws IOException {
        Pair pair = new Pair(world).connect();
        List<ConnectionState> observed = new ArrayList<>();
        pair.fromB.onStateChange((connection, state) -> observed.add(state));
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.a.rnic.close();
        pair.a.rnic.close();
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        world.settle();
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
        assertEquals(ConnectionState.CLOSED, observed.getLast());
        assertEquals(0, pair.a.rnic.context().regions().size());
        assertThrows(IllegalStateException.class, () -> pair.a.rnic.createCompletionQueue(8));
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8));
        pair.a.queuePair.close();
        pair.a.cq.close();
        pair.a.memory.close();
        pair.a.domain.close();
        assertEquals(0, pair.a.rnic.progress());
    }

    @Test
    void rnicClosed_peerHangs_isBounded() throws IOException {
        Pair pair = new Pair(world).connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        long before = world.nowNs;
        pair.a.rnic.close();
        assertTrue(world.nowNs - before <= 3_000_000_000L);
        assertTrue(pair.fromA.state().ended());
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void asyncEvents_listenerOrPoll_eachReportedOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        List<AsyncEventType> observed = new ArrayList<>();
        world.network.streams.forEach(MemoryStream::reset);
        world.settle();
        pair.a.rnic.onAsyncEvent(event -> observed.add(event.type()));
        world.settle();
        assertEquals(List.of(AsyncEventType.CONNECTION_RESET), observed);
        assertEquals(List.of(), ManualWorld.events(pair.a.rnic));
    }

    @Test
    void asyncEvents_neverPolled_areBounded() {
        SoftRnic rnic = world.rnic();
        for (int i = 0; i < AsyncEvents.MAX_QUEUED + 5; i++) {
            rnic.context().events().raise(AsyncEventType.QP_FATAL, rnic, "event " + i);
        }
        List<AsyncEvent> kept = rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(AsyncEvents.MAX_QUEUED, kept.size());
        assertEquals("event 5", kept.getFirst().sentence());
    }
}
