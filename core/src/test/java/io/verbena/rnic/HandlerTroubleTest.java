package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ends, statistics and failures of CQ handlers, and Query QP. */
class HandlerTroubleTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private final SteppedProcessor processor = new SteppedProcessor();
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void handlerRemovedWhileItsEventWaits_doesNotRun_theEventWaitsForAnotherHandler() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        Notified.signalAll(List.of(cq));
        rnic.removeCompletionHandler(id);
        processor.run();
        assertEquals(0, runs.get());
        List<Long> seen = new ArrayList<>();
        cq.handler(Optional.of(rnic.setCompletionHandler(Notified.drains(seen), processor)));
        processor.run();
        assertEquals(List.of(1L), seen);
    }

    @Test
    void cqClosedWhileItsEventWaits_itsHandlerDoesNotRun() {
        SoftRnic rnic = world.rnic();
        SoftCompletionQueue cq = Notified.cq(rnic, rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor));
        Notified.signalAll(List.of(cq));
        cq.leave();
        cq.close();
        processor.run();
        assertEquals(0, runs.get());
        assertTrue(cq.dispatch().idle());
        assertThrows(IllegalStateException.class, () -> cq.handler(Optional.empty()));
    }

    @Test
    void cqClosedInItsOwnHandler_thisRunIsTheLast() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(
                which -> {
                    runs.incrementAndGet();
                    ((SoftCompletionQueue) which).leave();
                    which.close();
                },
                processor);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        Notified.signalAll(List.of(cq));
        processor.run();
        assertEquals(1, runs.get());
        assertTrue(cq.closed());
        rnic.removeCompletionHandler(id);
    }

    @Test
    void cqMovedInItsOwnHandler_theNextEventIsTheNewOnes() {
        SoftRnic rnic = world.rnic();
        List<String> ran = new ArrayList<>();
        CqHandlerId second = rnic.setCompletionHandler(any -> ran.add("second"), processor);
        CqHandlerId first = rnic.setCompletionHandler(
                any -> {
                    ran.add("moves");
                    any.handler(Optional.of(second));
                    any.requestNotification(Notification.NEXT);
                },
                processor);
        Notified.signalAll(List.of(Notified.cq(rnic, first)));
        processor.run();
        assertEquals(List.of("moves", "second"), ran);
    }

    @Test
    void rnicClosedWhileEventsWait_noHandlerAndNoReadyCallbackRuns() {
        SoftRnic rnic = world.rnic();
        SoftCompletionQueue cq = Notified.cq(rnic, rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor));
        SoftCompletionQueue other =
                Notified.cq(rnic, rnic.setCompletionHandler(any -> runs.incrementAndGet(), processor));
        other.onReady(runs::incrementAndGet);
        Notified.signalAll(List.of(cq, other));
        rnic.close();
        Notified.signalAll(List.of(cq, other));
        processor.run();
        world.settle();
        assertEquals(0, runs.get());
    }

    @Test
    void readyCallbackRemovedWhileItsEventWaits_theHandlerRuns() {
        SoftRnic rnic = world.rnic();
        List<Long> seen = new ArrayList<>();
        SoftCompletionQueue cq = Notified.cq(rnic, rnic.setCompletionHandler(Notified.drains(seen), processor));
        cq.onReady(runs::incrementAndGet);
        Notified.signalAll(List.of(cq));
        assertEquals(0, runs.get(), "it runs neither inside the request nor in the engine");
        cq.onReady(Optional.empty());
        world.settle();
        processor.run();
        assertEquals(0, runs.get());
        assertEquals(List.of(1L), seen);
    }

    @Test
    void closeWithGrace_rejectsNewWork_completesPendingWork_handlersSeeAll() throws IOException {
        Pair pair = new Pair(world).connect();
        List<Long> seen = new ArrayList<>();
        pair.a.cq.handler(Optional.of(pair.a.rnic.setCompletionHandler(Notified.drains(seen))));
        pair.a.cq.requestNotification(Notification.NEXT);
        for (int i = 0; i < 20; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 4096);
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 4096, WrFlags.SIGNALLED);
        }
        pair.a.queuePair.postReceive(100, pair.a.memory, 0, 8);
        pair.a.rnic.close(Duration.ofSeconds(5));
        assertEquals(21, seen.size(), "all sends, and the receive that was flushed: " + seen);
        List<String> arrived = pair.b.polled();
        assertEquals(
                20, arrived.stream().filter(each -> each.endsWith("SUCCESS")).count());
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(21, seen.size(), "no handler runs after the close");
    }

    @Test
    void figures_countEventsCompletionsAndTimes() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(
                cq -> {
                    world.pass(500);
                    Notified.drains(new ArrayList<>()).onCompletion(cq);
                },
                processor);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        Notified.push(cq, 2);
        Notified.push(cq, 3);
        world.pass(1000);
        processor.run();
        HandlerFigures figures = rnic.queryCompletionHandler(id);
        assertEquals(1, figures.events());
        assertEquals(3, figures.completions());
        assertEquals(3.0, figures.completionsPerEvent());
        assertEquals(0, figures.failures());
        assertEquals(1000, figures.toHandlerMaxNs());
        assertEquals(1000, figures.toHandlerP99Ns());
        assertEquals(500, figures.inHandlerNs());
        assertEquals(3, cq.figures().completions(), "of this queue");
    }

    @Test
    void figures_countFailures() {
        SoftRnic rnic = world.rnic();
        CqHandlerId id = rnic.setCompletionHandler(
                any -> {
                    throw new IllegalStateException("a handler that throws in this test");
                },
                processor);
        Notified.signalAll(List.of(Notified.cq(rnic, id)));
        processor.run();
        assertEquals(1, rnic.queryCompletionHandler(id).failures());
    }

    @Test
    void processorEnds_eventsAreReturned_anAsyncEventReportsIt_anotherHandlerTakesOver() {
        SoftRnic rnic = world.rnic();
        SteppedProcessor dying = new SteppedProcessor();
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING, dying);
        SoftCompletionQueue cq = Notified.cq(rnic, id);
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        dying.close();
        Notified.push(cq, 2);
        List<AsyncEvent> observed = rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(
                List.of(AsyncEventType.HANDLER_PROCESSOR_FAILED),
                observed.stream().map(AsyncEvent::type).toList(),
                "once");
        assertThrows(IllegalStateException.class, () -> rnic.setCompletionHandler(Notified.NOTHING, dying));
        SteppedProcessor living = new SteppedProcessor();
        List<Long> seen = new ArrayList<>();
        cq.handler(Optional.of(rnic.setCompletionHandler(Notified.drains(seen), living)));
        living.run();
        assertEquals(List.of(1L, 2L), seen);
        rnic.removeCompletionHandler(id);
    }

    @Test
    void reArmStorm_handlerThatNeverPolls_othersAreServed() {
        SoftRnic rnic = world.rnic();
        AtomicInteger storm = new AtomicInteger();
        CqHandlerId mad = rnic.setCompletionHandler(
                cq -> {
                    storm.incrementAndGet();
                    cq.requestNotification(Notification.NEXT); // its entry is still unpolled
                },
                processor,
                new HandlerOptions("storm", 9));
        List<Long> seen = new ArrayList<>();
        CqHandlerId calm = rnic.setCompletionHandler(Notified.drains(seen), processor, new HandlerOptions("calm", 0));
        Notified.signalAll(List.of(Notified.cq(rnic, mad), Notified.cq(rnic, calm)));
        processor.nowNs += 20_000_000; // longer than any limit
        processor.arbiter.run(8, () -> processor.nowNs += 20_000_000);
        assertEquals(List.of(1L), seen);
        assertTrue(storm.get() >= 3, "the storm continues");
        rnic.removeCompletionHandler(mad);
        int before = storm.get();
        processor.run();
        assertEquals(before, storm.get());
    }

    @Test
    void handlerThatThrows_doesNotAffectOthers() {
        SoftRnic rnic = world.rnic();
        List<Long> seen = new ArrayList<>();
        CqHandlerId bad = rnic.setCompletionHandler(
                any -> {
                    throw new StackOverflowError("thrown by this test");
                },
                processor);
        CqHandlerId good = rnic.setCompletionHandler(Notified.drains(seen), processor);
        Notified.signalAll(List.of(Notified.cq(rnic, bad), Notified.cq(rnic, good)));
        processor.run();
        assertEquals(List.of(1L), seen);
    }

    @Test
    void queryQp_returnsTheWholeContext() throws IOException {
        Pair pair = new Pair(world).connect();
        CqHandlerId id = pair.a.rnic.setCompletionHandler(Notified.NOTHING);
        pair.a.cq.handler(Optional.of(id));
        QueuePairAttributes context = pair.a.queuePair.query();
        assertEquals(pair.a.domain, pair.a.queuePair.protectionDomain());
        assertEquals(pair.a.queuePair.number(), context.number());
        assertEquals(Optional.of(id), context.sendCqHandler());
        assertEquals(Optional.of(id), context.receiveCqHandler());
        assertEquals(pair.a.cq, context.options().sendCq());
        assertFalse(context.remoteRights().isEmpty());
        assertTrue(context.localPort().isPresent());
        assertTrue(context.remotePort().isPresent());
        assertInstanceOf(IwarpQueuePairState.class, context.state());
        assertEquals(Map.of(), pair.a.rnic.context().options().settings());
    }
}
