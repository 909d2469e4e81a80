package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a completion queue remembers when it is resized, which of two is full, and moderated events. */
class CompletionQueueChangesTest {

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final SoftCompletionQueue cq =
            (SoftCompletionQueue) rnic.createCompletionQueue(CompletionQueueOptions.capacity(8));
    private final AtomicInteger events = new AtomicInteger();

    CompletionQueueChangesTest() {
        ManualEnvironment.of(rnic).runsHandlersAtOnce = true;
        cq.use(0);
        cq.onReady(events::incrementAndGet);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void resized_returnsWhenTheEngineUsesTheNewRing() {
        cq.resize(100);
        assertTrue(cq.sides()[0].ring().capacity() >= 100);
    }

    @Test
    void resizedWithEntriesThatWereNotReported_theirCauseIsKept() {
        Notified.publish(cq, 1, CompletionRing.SOLICITED);
        cq.requestNotification(Notification.SOLICITED);
        assertEquals(0, events.get());
        cq.resize(16);
        assertEquals(1, events.get());
    }

    @Test
    void resizedAfterEntriesWerePolled_laterOnesAreFoundByARequest() {
        CompletionCursor cursor = cq.cursor();
        for (int i = 0; i < 3; i++) {
            Notified.push(cq, i);
            assertTrue(cursor.next());
        }
        cq.resize(16);
        Notified.push(cq, 4, CompletionRing.SOLICITED);
        cq.requestNotification(Notification.SOLICITED);
        assertEquals(1, events.get());
        assertTrue(cursor.next());
        cq.requestNotification(Notification.SOLICITED);
        assertEquals(1, events.get(), "it has been polled");
    }

    @Test
    void urgentEventDuringModeration_laterEntriesAreCountedFromZero() {
        cq.moderate(3, Duration.ofSeconds(1));
        world.settle();
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        Notified.push(cq, 2, CompletionRing.FAILED);
        assertEquals(1, events.get());
        CompletionCursor cursor = cq.cursor();
        assertTrue(cursor.next());
        assertTrue(cursor.next());
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 3);
        Notified.push(cq, 4);
        assertEquals(1, events.get(), "two of three");
        Notified.push(cq, 5);
        assertEquals(2, events.get());
    }

    @Test
    void receivesOverflowTheirQueue_theOtherQueueOfThePair_doesNotReportIt() throws IOException {
        Pair pair = new Pair(world);
        CompletionQueue small = pair.a.rnic.createCompletionQueue(1);
        QueuePair queuePair = pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.cq, small));
        queuePair.postReceive(1, pair.a.memory, 0, 8);
        queuePair.postReceive(2, pair.a.memory, 0, 8);
        queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        List<AsyncEvent> observed = pair.a.rnic.pollAsyncEvents(Duration.ZERO).stream()
                .filter(each -> each.type() == AsyncEventType.CQ_OVERFLOW)
                .toList();
        assertEquals(List.of(small), observed.stream().map(AsyncEvent::subject).toList());
        assertTrue(small.overflowed());
        assertFalse(pair.a.cq.overflowed());
    }

    @Test
    void moderatedEventAfterItsPeriod_laterEntriesAreCountedFromZero() {
        cq.moderate(3, Duration.ofMillis(1));
        world.settle();
        cq.requestNotification(Notification.NEXT);
        long before = rnic.stateDigest();
        Notified.push(cq, 1);
        assertNotEquals(before, rnic.stateDigest(), "an event is held back");
        world.advance(2_000_000);
        assertEquals(1, events.get());
        assertTrue(cq.cursor().next());
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 2);
        Notified.push(cq, 3);
        assertEquals(1, events.get(), "two of three");
    }

    @Test
    void moderatedBeforeItsFirstQueuePair_eventsAreHeldBack() {
        SoftCompletionQueue fresh =
                (SoftCompletionQueue) rnic.createCompletionQueue(CompletionQueueOptions.capacity(8));
        fresh.moderate(3, Duration.ofSeconds(1));
        fresh.use(0);
        world.settle();
        fresh.onReady(events::incrementAndGet);
        fresh.requestNotification(Notification.NEXT);
        Notified.push(fresh, 1);
        Notified.push(fresh, 2);
        assertEquals(0, events.get());
        Notified.push(fresh, 3);
        assertEquals(1, events.get());
    }

    @Test
    void asyncEventListener_setAfterAnEvent_receivesItAtOnce() {
        List<AsyncEvent> received = new ArrayList<>();
        rnic.context().events().raise(AsyncEventType.PEER_REFUSED, rnic, "an event of this test");
        rnic.onAsyncEvent(received::add);
        world.settle();
        assertEquals(1, received.size());
    }
}
