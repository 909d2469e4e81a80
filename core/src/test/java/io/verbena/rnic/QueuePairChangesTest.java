package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Modify QP of an iWARP queue pair: what it waits for, what it refuses, and the rights of the peer. */
class QueuePairChangesTest {

    private static final long MODIFY_NS = 1_000_000_000L;

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void toError_returnsWhenTheQueuePairHasFailed() throws IOException {
        Pair pair = new Pair(world).connect();
        long beganNs = world.nowNs;
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertTrue(pair.a.queuePair.state().failed());
        assertTrue(world.nowNs - beganNs < MODIFY_NS, "did not notice the state");
    }

    @Test
    void toClosing_returnsWhenTheCloseHasBegun() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.CLOSING));
        assertNotEquals(IwarpQueuePairState.RTS, pair.a.queuePair.state());
    }

    @Test
    void toIdle_noRoomForTheCompletions_isRefusedWithTheReason() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, options -> options).connect();
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8);
        }
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertTrue(pair.fromA.awaitClosed(Pair.SECOND));
        QueuePairChange idle = QueuePairChange.to(IwarpQueuePairState.IDLE);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(idle));
        assertEquals("work of the queue pair is not complete yet: poll its completion queue first", e.getMessage());
        while (!pair.a.polled().isEmpty()) {
            world.advance(100_000_000);
        }
        pair.a.queuePair.modify(idle);
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
    }

    @Test
    void whatTheSetUpDetermines_cannotBeChanged() {
        Pair pair = new Pair(world);
        PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(InetAddress.getLoopbackAddress()));
        QueuePairChange none = QueuePairChange.none();
        OptionalInt one = OptionalInt.of(1);
        OptionalInt no = OptionalInt.empty();
        for (QueuePairChange change : List.of(
                none.withPath(path),
                new QueuePairChange(none.state(), none.remoteRights(), no, no, one, none.path()),
                new QueuePairChange(none.state(), none.remoteRights(), one, no, no, none.path()),
                new QueuePairChange(none.state(), none.remoteRights(), no, one, no, none.path()))) {
            assertThrows(UnsupportedOperationException.class, () -> pair.a.queuePair.modify(change), change::toString);
        }
    }

    @Test
    void stateOfAConnection_canOnlyBeConfirmed() throws IOException {
        Pair pair = new Pair(world);
        SoftQueuePair queuePair = pair.a.queuePair;
        QueuePairChange rts = QueuePairChange.to(IwarpQueuePairState.RTS);
        assertThrows(IllegalStateException.class, () -> queuePair.modify(rts));
        pair.connect();
        queuePair.modify(rts);
        assertThrows(
                IllegalStateException.class, () -> queuePair.modify(QueuePairChange.to(IwarpQueuePairState.TERMINATE)));
        assertEquals(IwarpQueuePairState.RTS, queuePair.state());
    }

    @Test
    void toIdle_connected_isRefusedAndNamesTheState() throws IOException {
        Pair pair = new Pair(world).connect();
        QueuePairChange idle = QueuePairChange.to(IwarpQueuePairState.IDLE);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(idle));
        assertEquals(
                "a queue pair can be moved to IDLE only after its connection has ended, and this one is RTS;"
                        + " disconnect it or move it to ERROR, and wait with awaitClosed",
                e.getMessage());
    }

    @Test
    void unconnected_toError_whatIsPostedBeforeAndAfter_isFlushed() {
        Pair pair = new Pair(world);
        SoftQueuePair queuePair = pair.a.queuePair;
        assertTrue(queuePair.query().maxFrameBytes() > 0);
        queuePair.postReceive(1, pair.a.memory, 0, 8);
        queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        queuePair.postReceive(2, pair.a.memory, 0, 8);
        world.settle();
        assertEquals(List.of("2 FLUSHED"), pair.a.polled());
    }

    @Test
    void unconnected_toError_theFlushedWorkIsReportedAtTheCompletionQueue() {
        Pair pair = new Pair(world);
        AtomicInteger events = new AtomicInteger();
        pair.a.cq.onReady(events::incrementAndGet);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.a.cq.requestNotification(Notification.NEXT);
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertEquals(1, events.get());
    }

    @Test
    void closed_bothSides_areNotifiedOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.fromA.disconnect();
        world.settle();
        for (Pair.Side side : List.of(pair.a, pair.b)) {
            assertEquals(List.of(AsyncEventType.CLOSE_COMPLETE), ManualWorld.events(side.rnic));
            assertEquals(0, side.rnic.engine(0).members());
        }
        assertEquals("The connection was closed gracefully.", pair.fromA.reason());
    }

    @Test
    void closedQueuePair_anyChange_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.close();
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ))));
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(QueuePairChange.none()));
    }

    /** The rights that remain after a change, as the statuses of a Read and a Write of the peer. */
    private List<CompletionStatus> statuses(Pair pair) {
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertTrue(pair.a.cursor.next());
        CompletionStatus read = pair.a.cursor.status();
        pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED);
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        CompletionStatus after = CompletionStatus.SUCCESS;
        while (pair.a.cursor.next()) {
            after = pair.a.cursor.status();
        }
        return List.of(read, after);
    }

    @Test
    void rightsLimitedBeforeTheConnection_thePeerWritesNothing() throws IOException {
        Pair pair = new Pair(world);
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        pair.connect();
        pair.a.fill(7);
        assertEquals(CompletionStatus.SUCCESS, statuses(pair).getFirst());
        assertNotEquals(CompletionStatus.SUCCESS, statuses(pair).getLast());
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        assertTrue(ManualWorld.events(pair.b.rnic).contains(AsyncEventType.QP_ACCESS_ERROR));
    }

    @Test
    void rightsLimitedLater_thePeerWritesNothingMore() throws IOException {
        Pair pair = new Pair(world).connect();
        assertEquals(List.of(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS), statuses(pair));
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        assertFalse(pair.b.rnic.engine(0).hasWork(), "the engine has taken the limit");
        assertNotEquals(CompletionStatus.SUCCESS, statuses(pair).getLast());
    }
}
