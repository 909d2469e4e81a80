package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events of a CQ: exactly one per request, never lost and never repeated. */
class NotificationTest {

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final Cqe cqe = new Cqe();
    private long lastId;

    @AfterEach
    void close() {
        world.close();
    }

    private SoftCompletionQueue cq(CompletionQueueOptions options) {
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(options);
        cq.use(0);
        return cq;
    }

    private SoftCompletionQueue cq() {
        return cq(CompletionQueueOptions.capacity(64));
    }

    private void push(SoftCompletionQueue cq, boolean urgent) {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(++lastId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(urgent ? CompletionRing.SOLICITED : 0);
    }

    private void settle(SoftCompletionQueue cq) {
        cq.sides()[0].settle();
    }

    /** Counts events as they are signalled; no handler runs. */
    private static AtomicInteger counted(SoftCompletionQueue cq) {
        ManualEnvironment.of((SoftRnic) cq.rnic()).runsHandlersAtOnce = true;
        AtomicInteger events = new AtomicInteger();
        cq.onReady(events::incrementAndGet);
        return events;
    }

    @Test
    void unarmed_entry_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, true);
        settle(cq);
        assertEquals(0, events.get());
    }

    @Test
    void armedNext_entries_signalOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.NEXT);
        assertEquals(0, events.get());
        push(cq, false);
        push(cq, false);
        settle(cq);
        push(cq, false);
        settle(cq);
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void entryBetweenLastPollAndArming_signalsAtOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        CompletionCursor cursor = cq.cursor();
        push(cq, false);
        settle(cq);
        assertTrue(cursor.next());
        assertFalse(cursor.next());
        push(cq, false);
        settle(cq);
        cq.requestNotification(Notification.NEXT);
        assertEquals(1, events.get());
    }

    @Test
    void entryPublishedAndNotSettledWhenArmed_signalsOnce() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, false);
        cq.requestNotification(Notification.NEXT);
        assertEquals(1, events.get());
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void everyOrderOfArmPushSettleAndPoll_losesNoEvent() {
        // Two entries, with the steps in every order that an engine and a poller can produce.
        List<String> orders = new ArrayList<>();
        interleave("PTPT", "APPA", "", orders);
        for (String order : orders) {
            SoftCompletionQueue cq = cq();
            AtomicInteger events = counted(cq);
            CompletionCursor cursor = cq.cursor();
            int taken = 0;
            for (int i = 0; i < order.length(); i++) {
                switch (order.charAt(i)) {
                    case 'P' -> push(cq, false);
                    case 'T' -> settle(cq);
                    case 'A' -> cq.requestNotification(Notification.NEXT);
                    case 'p' -> taken += cursor.next() ? 1 : 0;
                    default -> throw new AssertionError();
                }
            }
            // The poller's last step armed the CQ. Entries that were unpolled then, or arrived later, have been
            // signalled.
            assertTrue(taken == 2 || events.get() >= 1, order);
            assertTrue(events.get() <= 2, order + ": " + events.get());
        }
    }

    /** All interleavings of the two scripts; a P of the poller is a poll. */
    private static void interleave(String engine, String poller, String done, List<String> all) {
        if (engine.isEmpty() && poller.isEmpty()) {
            all.add(done);
            return;
        }
        if (!engine.isEmpty()) {
            interleave(engine.substring(1), poller, done + engine.charAt(0), all);
        }
        if (!poller.isEmpty()) {
            char step = poller.charAt(0) == 'P' ? 'p' : poller.charAt(0);
            interleave(engine, poller.substring(1), done + step, all);
        }
    }

    @Test
    void armedSolicited_plainEntries_areSilentUntilAnUrgentOne() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
        push(cq, true);
        settle(cq);
        assertEquals(1, events.get());
        cq.requestNotification(Notification.SOLICITED);
        assertEquals(2, events.get(), "the urgent event was signalled at once");
    }

    @Test
    void armedSolicited_urgentEntryPolledBefore_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, true);
        settle(cq);
        assertTrue(cq.cursor().next());
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
    }

    @Test
    void armedNext_solicitedRequestedAsWell_staysNext() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(Notification.NEXT);
        cq.requestNotification(Notification.SOLICITED);
        push(cq, false);
        settle(cq);
        assertEquals(1, events.get());
    }

    private void push(SoftCompletionQueue cq, int causes) {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(++lastId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(causes);
        side.settle();
    }

    private static final int READ = CompletionRing.type(CompletionOpcode.READ);
    private static final int RECEIVE = CompletionRing.type(CompletionOpcode.RECEIVE);
    private static final CompletionTypes READS = CompletionTypes.of(CompletionOpcode.READ);
    private static final CompletionTypes ARRIVALS =
            CompletionTypes.of(CompletionOpcode.RECEIVE, CompletionOpcode.RECEIVE_IMMEDIATE);

    @Test
    void armedTypes_otherEntries_areSilentUntilOneOfThem() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        push(cq, READ | CompletionRing.SOLICITED);
        assertEquals(0, events.get());
        push(cq, RECEIVE);
        assertEquals(1, events.get());
        push(cq, RECEIVE);
        assertEquals(1, events.get(), "one request, one event");
    }

    @Test
    void armedTypes_requestedEntryIsUnpolled_signalsAtOnce_polledBefore_isSilent() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        push(cq, RECEIVE);
        push(cq, READ);
        cq.requestNotification(ARRIVALS);
        assertEquals(1, events.get());
        assertTrue(cq.cursor().next());
        cq.requestNotification(ARRIVALS);
        assertEquals(1, events.get(), "the remaining entry is a Read");
        cq.requestNotification(READS);
        assertEquals(2, events.get());
    }

    @Test
    void armedTypes_entryInErrorOrWithItsOwnRequest_signals() {
        for (int cause : new int[] {CompletionRing.FAILED, CompletionRing.REQUESTED}) {
            SoftCompletionQueue cq = cq();
            AtomicInteger events = counted(cq);
            cq.requestNotification(ARRIVALS);
            push(cq, READ | cause);
            assertEquals(1, events.get());
            cq.requestNotification(ARRIVALS);
            assertEquals(2, events.get(), "the entry is still unpolled");
        }
    }

    @Test
    void requestsOfTypes_addUp_withSolicitedAndWithEachOther() {
        List<List<Consumer<SoftCompletionQueue>>> orders = List.of(
                List.of(
                        cq -> cq.requestNotification(READS),
                        cq -> cq.requestNotification(ARRIVALS),
                        cq -> cq.requestNotification(Notification.SOLICITED)),
                List.of(
                        cq -> cq.requestNotification(Notification.SOLICITED),
                        cq -> cq.requestNotification(READS),
                        cq -> cq.requestNotification(ARRIVALS)),
                List.of(cq -> cq.requestNotification(CompletionTypes.of(CompletionOpcode.READ, CompletionOpcode.RECEIVE)
                        .orSolicited())));
        for (List<Consumer<SoftCompletionQueue>> order : orders) {
            for (int cause : new int[] {READ, RECEIVE, CompletionRing.SOLICITED}) {
                SoftCompletionQueue cq = cq();
                AtomicInteger events = counted(cq);
                order.forEach(request -> request.accept(cq));
                push(cq, CompletionRing.type(CompletionOpcode.BIND));
                assertEquals(0, events.get());
                push(cq, cause);
                assertEquals(1, events.get());
            }
        }
    }

    @Test
    void armedTypesAndNext_isNext_andTypesDoNotNarrowIt() {
        SoftCompletionQueue cq = cq();
        AtomicInteger events = counted(cq);
        cq.requestNotification(ARRIVALS);
        cq.requestNotification(Notification.NEXT);
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        assertEquals(1, events.get());
        cq.cursor().next();
        cq.requestNotification(ARRIVALS);
        push(cq, READ);
        assertEquals(1, events.get(), "the earlier request was consumed");
    }

    @Test
    void types_withoutAnyOrWithUnknownBits_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new CompletionTypes(0, false));
        assertThrows(IllegalArgumentException.class, () -> new CompletionTypes(1 << 30, false));
        assertTrue(ARRIVALS.includes(CompletionOpcode.RECEIVE_IMMEDIATE));
        assertFalse(ARRIVALS.includes(CompletionOpcode.SEND));
    }

    @Test
    void solicitedAlwaysSignals_unarmed_signals() {
        SoftCompletionQueue cq = cq(CompletionQueueOptions.capacity(8).withSolicitedAlwaysSignals(true));
        AtomicInteger events = counted(cq);
        push(cq, false);
        settle(cq);
        assertEquals(0, events.get());
        push(cq, true);
        settle(cq);
        assertEquals(1, events.get());
    }

    @Test
    void armedWithoutAHandler_entry_isSignalledWhenAHandlerIsAssociated() {
        SoftCompletionQueue cq = cq();
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId id = rnic.setCompletionHandler(any -> runs.incrementAndGet());
        cq.handler(Optional.of(id));
        world.settle();
        assertEquals(1, runs.get());
    }

    @Test
    void handler_drainsAndArms_runsOncePerEntry() {
        SoftCompletionQueue cq = cq();
        List<Long> seen = new ArrayList<>();
        CompletionCursor cursor = cq.cursor();
        CqHandlerId id = rnic.setCompletionHandler(which -> {
            while (cursor.next()) {
                seen.add(cursor.wrId());
            }
            which.requestNotification(Notification.NEXT);
        });
        cq.handler(Optional.of(id));
        cq.requestNotification(Notification.NEXT);
        for (int i = 0; i < 10; i++) {
            push(cq, false);
            settle(cq);
            if (i % 3 == 0) {
                world.settle();
            }
        }
        world.settle();
        assertEquals(10, seen.size());
        assertEquals(Optional.of(id), cq.handler());
    }

    @Test
    void handler_throws_othersContinue() {
        SoftCompletionQueue bad = cq();
        SoftCompletionQueue good = cq();
        AtomicInteger runs = new AtomicInteger();
        bad.handler(Optional.of(rnic.setCompletionHandler(any -> {
            runs.incrementAndGet();
            throw new IllegalStateException("a handler that throws in this test");
        })));
        good.handler(Optional.of(rnic.setCompletionHandler(any -> runs.addAndGet(10))));
        for (SoftCompletionQueue cq : List.of(bad, good, bad)) {
            cq.requestNotification(Notification.NEXT);
            push(cq, false);
            settle(cq);
            world.settle();
        }
        assertEquals(12, runs.get());
    }

    @Test
    void handler_replacedMovedAndRemoved_theRightOneRuns() {
        SoftCompletionQueue cq = cq();
        List<String> runs = new ArrayList<>();
        CqHandlerId first = rnic.setCompletionHandler(any -> runs.add("first"));
        CqHandlerId second = rnic.setCompletionHandler(any -> runs.add("second"));
        assertEquals(1, first.value());
        assertEquals(2, rnic.query().completionHandlersInUse());
        cq.handler(Optional.of(first));
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        rnic.replaceCompletionHandler(first, any -> runs.add("replaced"));
        world.settle();
        cq.handler(Optional.of(second));
        cq.requestNotification(Notification.NEXT);
        world.settle();
        assertEquals(List.of("replaced", "second"), runs);

        cq.requestNotification(Notification.NEXT);
        rnic.removeCompletionHandler(second);
        world.settle();
        assertEquals(List.of("replaced", "second"), runs, "scheduled, but removed before it ran");
        assertEquals(Optional.empty(), cq.handler());
        cq.handler(Optional.of(first));
        world.settle();
        assertEquals(List.of("replaced", "second", "replaced"), runs, "the event waited for a handler");
        assertThrows(IllegalArgumentException.class, () -> rnic.removeCompletionHandler(second));
    }

    @Test
    void handler_removesItself_doesNotWaitForItself() {
        SoftCompletionQueue cq = cq();
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId[] id = new CqHandlerId[1];
        id[0] = rnic.setCompletionHandler(any -> {
            runs.incrementAndGet();
            rnic.removeCompletionHandler(id[0]);
        });
        cq.handler(Optional.of(id[0]));
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        long before = world.nowNs;
        world.settle();
        assertEquals(1, runs.get());
        assertEquals(before, world.nowNs);
    }

    @Test
    void handler_movedToAnotherProcessorWhileScheduled_runsThere() {
        SoftCompletionQueue cq = cq();
        List<String> runs = new ArrayList<>();
        List<Runnable> special = new ArrayList<>();
        CqHandlerId plain = rnic.setCompletionHandler(any -> runs.add("plain"));
        CqHandlerId there = rnic.setCompletionHandler(any -> runs.add("there"), (id, work) -> special.add(work));
        cq.handler(Optional.of(plain));
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        cq.handler(Optional.of(there));
        world.settle();
        assertEquals(List.of(), runs);
        special.forEach(Runnable::run);
        assertEquals(List.of("there"), runs);
    }

    @Test
    void engineAndHandlerThreads_race_everyEntryIsHandledAndNeverTwoRunsAtOnce() throws InterruptedException {
        int entries = 200_000;
        ManualEnvironment.of(rnic).handlersHaveThreads = true; // the last run may end after the last entry was counted
        SoftCompletionQueue cq = cq(CompletionQueueOptions.capacity(128));
        LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
        CompletionCursor cursor = cq.cursor();
        CountDownLatch done = new CountDownLatch(entries);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        CqHandlerId id = rnic.setCompletionHandler(
                which -> {
                    together.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    while (cursor.next()) {
                        done.countDown();
                    }
                    inside.decrementAndGet();
                    which.requestNotification(Notification.NEXT);
                },
                (any, run) -> work.add(run));
        cq.handler(Optional.of(id));
        cq.requestNotification(Notification.NEXT);
        List<Thread> handlers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            handlers.add(Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (true) {
                        work.take().run();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        Thread engine = Thread.ofPlatform().start(() -> {
            CqSide side = cq.sides()[0];
            Cqe mine = new Cqe();
            for (int i = 0; i < entries; i++) {
                while (!side.ring().claim(mine)) {
                    side.settle();
                    Thread.yield(); // a spinning engine would deprive handlers on the same core of the processor
                }
                mine.fill(i, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
                side.ring().publish(0);
                if ((i & 7) != 0) {
                    side.settle();
                }
            }
            side.settle();
        });
        // A lost event stops all progress: the ring fills up, and no handler requests again. A busy machine is only
        // slower.
        for (long before = entries + 1L; !done.await(60, TimeUnit.SECONDS); before = done.getCount()) {
            long left = done.getCount();
            assertTrue(
                    left < before,
                    () -> left + " entries are left, and none was handled for a minute: an event was lost");
        }
        engine.join();
        assertEquals(1, together.get());
        handlers.forEach(Thread::interrupt);
    }

    @Test
    void handler_removedWhileItRunsInAnotherThread_isWaitedFor() throws InterruptedException {
        SoftCompletionQueue cq = cq();
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        CqHandlerId id = rnic.setCompletionHandler(
                any -> {
                    began.countDown();
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                (any, run) -> threads.add(Thread.ofPlatform().daemon().start(run)));
        cq.handler(Optional.of(id));
        cq.requestNotification(Notification.NEXT);
        push(cq, false);
        settle(cq);
        assertTrue(began.await(10, TimeUnit.SECONDS));
        AtomicInteger waits = new AtomicInteger();
        world.beforeTimePasses = () -> {
            waits.incrementAndGet();
            mayEnd.countDown();
            try {
                threads.getFirst().join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        rnic.removeCompletionHandler(id);
        assertEquals(1, waits.get());
        assertFalse(threads.getFirst().isAlive());
    }
}
