package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.objects.AsyncEvents;
import io.verbena.rnic.context.Limits;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** CQs, their cursors, and the queue of asynchronous events: limits, and what is refused when an object is closed. */
class QueueObjectsTest {

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final CompletionQueue cq = rnic.createCompletionQueue(16);

    @AfterEach
    void close() {
        world.close();
    }

    private static void allRefused(Executable... uses) {
        for (int i = 0; i < uses.length; i++) {
            assertThrows(IllegalStateException.class, uses[i], "use " + i);
        }
    }

    private void raise(int number, Object subject) {
        rnic.context().events().raise(AsyncEventType.CQ_OVERFLOW, subject, "event " + number);
    }

    private List<String> polled() {
        return rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::sentence)
                .toList();
    }

    // Asynchronous events.

    @Test
    void moreEventsThanTheQueueHolds_theOldestAreDropped() {
        for (int i = 0; i < AsyncEvents.MAX_QUEUED + 2; i++) {
            raise(i, cq);
        }
        List<String> all = polled();
        assertEquals(AsyncEvents.MAX_QUEUED, all.size());
        assertEquals("event 2", all.getFirst());
        assertEquals("event " + (AsyncEvents.MAX_QUEUED + 1), all.getLast());
        assertEquals(List.of(), polled());
    }

    @Test
    void queuePairClosed_itsQueuedEventsAreDropped_othersStay() {
        QueuePair closed = rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
        raise(1, closed);
        raise(2, cq);
        closed.close();
        assertEquals(List.of("event 2"), polled());
    }

    @Test
    void listener_receivesWhatWasQueuedAndWhatFollows_inOrder_alsoAfterItHasThrown() {
        raise(1, cq);
        List<String> received = new ArrayList<>();
        rnic.onAsyncEvent(event -> {
            received.add(event.sentence());
            throw new IllegalStateException("a listener that fails");
        });
        raise(2, cq);
        raise(3, cq);
        world.settle();
        assertEquals(List.of("event 1", "event 2", "event 3"), received);
        raise(4, cq);
        world.settle();
        assertEquals("event 4", received.getLast());
        assertEquals(List.of(), polled());
    }

    @Test
    void poll_eventArrivesDuringTheWait_endsIt_otherwiseTheTimePasses() {
        long beforeNs = world.nowNs;
        world.beforeTimePasses = () -> {
            world.beforeTimePasses = () -> {};
            raise(1, cq);
        };
        assertEquals(1, rnic.pollAsyncEvents(Duration.ofMinutes(1)).size());
        assertTrue(world.nowNs - beforeNs < 60_000_000_000L);
        long emptyNs = world.nowNs;
        assertEquals(List.of(), rnic.pollAsyncEvents(Duration.ofMinutes(1)));
        assertTrue(world.nowNs - emptyNs >= 60_000_000_000L);
    }

    // Completion queues.

    @Test
    void resize_toWhatItHolds_isAccepted_toLess_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        }
        world.settle();
        assertThrows(IllegalArgumentException.class, () -> pair.b.cq.resize(2));
        pair.b.cq.resize(3);
        assertEquals(3, pair.b.cq.capacity());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), pair.b.polled());
        assertEquals("CQ of 3 entries", pair.b.cq.toString());
    }

    @Test
    void moderatedCompletionQueueClosed_itsTimerLeavesTheEngine() {
        QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
        int before = rnic.engine(0).members();
        cq.moderate(4, Duration.ofMillis(1));
        world.settle();
        assertEquals(before + 1, rnic.engine(0).members());
        queuePair.close();
        cq.close();
        world.settle();
        assertEquals(before, rnic.engine(0).members());
    }

    @Test
    void moderationPeriod_upToAMinute_isAccepted() {
        cq.moderate(2, Duration.ofMinutes(1));
        cq.moderateAdaptively(2, Duration.ofNanos(1));
        assertThrows(
                IllegalArgumentException.class,
                () -> cq.moderate(2, Duration.ofMinutes(1).plusNanos(1)));
        assertThrows(IllegalArgumentException.class, () -> cq.moderateAdaptively(2, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> cq.moderate(0, Duration.ofMillis(1)));
    }

    @Test
    void moderatedAdaptively_rareEntry_isNotifiedAtOnce_underAFixedCountItIsDelayed() throws IOException {
        Pair pair = new Pair(world).connect();
        List<Integer> events = new ArrayList<>();
        pair.b.cq.onReady(() -> events.add(1));
        pair.b.cq.moderateAdaptively(8, Duration.ofMillis(1));
        receiveOne(pair);
        assertEquals(1, events.size());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        pair.b.cq.moderate(8, Duration.ofMillis(1));
        world.settle();
        receiveOne(pair);
        assertEquals(1, events.size(), "delayed");
        pair.b.cq.moderate(1, Duration.ofMillis(1));
        world.settle();
        assertEquals(2, events.size(), "the end of the moderation releases the event");
    }

    private void receiveOne(Pair pair) {
        world.settle();
        pair.b.cq.requestNotification(Notification.NEXT);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        for (int i = 0; i < 20; i++) {
            world.settle();
        }
        assertEquals(1, pair.b.cq.size());
    }

    @Test
    void completionQueueClosed_everyUse_isRefused() {
        cq.moderate(2, Duration.ofMillis(1));
        cq.close();
        allRefused(
                () -> cq.resize(32),
                () -> cq.moderate(2, Duration.ofMillis(1)),
                () -> cq.onReady(() -> {}),
                () -> cq.handler(Optional.empty()),
                () -> rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq)));
        assertFalse(cq.await(Duration.ofMinutes(1)));
        cq.close();
    }

    @Test
    void completionQueueInUse_cannotBeClosed_untilItsQueuePairsAreClosed() {
        QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
        allRefused(cq::close);
        queuePair.close();
        cq.close();
    }

    // Cursors.

    @Test
    void cursor_showsImmediateDataAndTheInvalidatedKey_ofTheirEntriesOnly() throws IOException {
        Pair pair = new Pair(world).connect();
        int key = pair.b.memory.rkey();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        SoftQueuePair a = pair.a.queuePair;
        a.post(a.newWorkRequest().sendWithImmediate(0x1234_5678_9abc_def0L));
        a.post(a.newWorkRequest().sendWithInvalidate(key));
        a.post(a.newWorkRequest().send());
        world.settle();
        CompletionCursor cursor = pair.b.cursor;
        assertTrue(cursor.next());
        assertTrue(cursor.hasImmediate() && !cursor.hasInvalidatedKey());
        assertEquals(0x1234_5678_9abc_def0L, cursor.immediate());
        assertTrue(cursor.next());
        assertTrue(cursor.hasInvalidatedKey() && !cursor.hasImmediate());
        assertEquals(key, cursor.invalidatedKey());
        assertTrue(cursor.next());
        assertFalse(cursor.hasInvalidatedKey() || cursor.hasImmediate() || cursor.solicited());
    }

    @Test
    void cursor_showsTheEntry_andTheReasonOfAFailure_alsoAfterTheQueuePairIsClosed() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(3, pair.b.memory, 0, 64);
        pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, 24)
                .flags(WrFlags.SIGNALLED.withSolicited())
                .id(4));
        world.settle();
        assertTrue(pair.b.cursor.next());
        assertEquals(CompletionOpcode.RECEIVE, pair.b.cursor.opcode());
        assertEquals(pair.b.queuePair.number(), pair.b.cursor.queuePairNumber());
        assertEquals(pair.b.queuePair, pair.b.cursor.queuePair());
        assertEquals(24, pair.b.cursor.byteCount());
        assertTrue(pair.b.cursor.solicited());
        assertFalse(pair.b.cursor.hasImmediate());
        assertFalse(pair.b.cursor.hasInvalidatedKey());
        assertFalse(pair.b.cursor.hasGlobalHeader());
        assertEquals("The work completed successfully.", pair.b.cursor.reason());

        pair.b.queuePair.postReceive(5, pair.b.memory, 0, 64);
        pair.b.queuePair.close();
        world.settle();
        assertTrue(pair.b.cursor.next());
        assertEquals(CompletionStatus.FLUSHED, pair.b.cursor.status());
        assertEquals("The RECEIVE failed because " + CompletionStatus.FLUSHED.sentence() + ".", pair.b.cursor.reason());
        assertThrows(IllegalStateException.class, pair.b.cursor::queuePair);
        assertFalse(pair.b.cursor.next());
    }

    @Test
    void closedCompletionQueues_doNotCountForTheLimit() {
        for (int i = 0; i <= Limits.COMPLETION_QUEUES; i++) {
            rnic.createCompletionQueue(1).close();
        }
    }
}
