package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.queue.Cqe;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** CQ handlers: each event runs its handler once, on the right processor, and never after its removal. */
class HandlerRunTest extends CqWorld {

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
            Cqe cqe = new Cqe();
            for (int i = 0; i < entries; i++) {
                while (!side.ring().claim(cqe)) {
                    side.settle();
                    Thread.yield(); // a spinning engine would deprive handlers on the same core of the processor
                }
                cqe.fill(i, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
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
