package io.verbena.rnic.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.notify.EventRing;
import io.verbena.queue.Cqe;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two threads access one CQ, then all traffic stops: published entries must have been handled, without another
 * entry or request that would hide a lost wake-up. Rounds: system property verbena.rounds.
 */
class HandlerChangesTest {

    private static final int ROUNDS = Integer.getInteger("verbena.rounds", 3_000);
    private static final int MAX_JITTER = 64;
    private static final int SPINS = 2_000;

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final SteppedProcessor processor = new SteppedProcessor();
    private final SteppedProcessor otherProcessor = new SteppedProcessor();
    private final AtomicInteger handled = new AtomicInteger();
    private final SoftCompletionQueue cq =
            (SoftCompletionQueue) rnic.createCompletionQueue(CompletionQueueOptions.capacity(64));
    private final CompletionCursor cursor = cq.cursor();
    private final CqHandler drains = which -> {
        while (cursor.next()) {
            handled.incrementAndGet();
        }
        which.requestNotification(Notification.NEXT);
    };
    private final AtomicReference<CqHandlerId> first = new AtomicReference<>(CqHandlerId.NONE);
    private final CqHandlerId second = rnic.setCompletionHandler(drains, otherProcessor);
    private final Cqe cqe = new Cqe();
    private int pushed;

    HandlerChangesTest() {
        ManualEnvironment.of(rnic).handlersHaveThreads = true;
        cq.use(0);
        first.set(rnic.setCompletionHandler(drains, processor));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void push() {
        CqSide side = cq.sides()[0];
        assertTrue(side.ring().claim(cqe));
        cqe.fill(++pushed, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
        side.ring().publish(0);
        side.settle();
    }

    private void associate(CqHandlerId id) {
        cq.handler(Optional.of(id));
    }

    /** All traffic has stopped: serves the signalled events and checks that no entry is missing. */
    private void demandAll(int round) {
        processor.run();
        otherProcessor.run();
        world.settle();
        assertEquals(pushed, handled.get(), () -> "a wake-up was lost in round " + round);
    }

    /** Runs two steps concurrently in many rounds. The first step and its lead vary from round to round. */
    private void race(Runnable before, Runnable here, Runnable there) throws InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    until(begun, round);
                    jitter(round / MAX_JITTER);
                    there.run();
                    done.set(round);
                }
            } catch (Throwable e) {
                failed.set(e);
                done.set(Integer.MAX_VALUE);
            }
        });
        for (int round = 1; round <= ROUNDS; round++) {
            before.run();
            begun.set(round);
            jitter(round);
            here.run();
            until(done, round);
            if (failed.get() != null) {
                throw new AssertionError("the other thread failed in round " + round, failed.get());
            }
            demandAll(round);
        }
        other.join();
    }

    private static void jitter(int round) {
        for (int i = round % MAX_JITTER; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    private static void until(AtomicInteger counter, int requested) {
        for (int spins = 0; counter.get() < requested; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private void armed() {
        associate(first.get());
        cq.requestNotification(Notification.NEXT);
    }

    private void armedAndSignalled() {
        armed();
        push();
    }

    @Test
    void engineSignals_handlerRemovedAndRestored_isNotified() throws InterruptedException {
        race(this::armed, this::push, () -> {
            cq.handler(Optional.empty());
            associate(first.get());
        });
    }

    @Test
    void engineSignals_handlerChangesContinuously_nothingIsThrown() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread changes = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                cq.handler(Optional.empty());
                associate(second);
            }
        });
        try {
            for (int i = 0; i < 1_000 * ROUNDS; i++) {
                cq.requestNotification(Notification.NEXT);
                push();
                while (cursor.next()) {
                    handled.incrementAndGet();
                }
            }
        } finally {
            over.set(true);
            changes.join();
        }
        demandAll(0);
    }

    @Test
    void engineSignals_anotherHandlerAndBack_isNotified() throws InterruptedException {
        race(this::armed, this::push, () -> {
            associate(second);
            associate(first.get());
        });
    }

    @Test
    void engineSignals_handlerRemovedAndANewOneAssociated_isNotified() throws InterruptedException {
        race(this::armed, this::push, () -> {
            CqHandlerId next = rnic.setCompletionHandler(drains, processor);
            rnic.removeCompletionHandler(first.get());
            first.set(next);
            associate(next);
        });
    }

    @Test
    void processorServes_handlerRemovedAndRestored_isNotified() throws InterruptedException {
        race(this::armedAndSignalled, processor::run, () -> {
            cq.handler(Optional.empty());
            associate(first.get());
        });
    }

    @Test
    void processorServes_anotherHandlerAndBack_isNotified() throws InterruptedException {
        race(this::armedAndSignalled, processor::run, () -> {
            associate(second);
            associate(first.get());
        });
    }

    @Test
    void twoAssociateAtOnce_theLastOneIsNotified() throws InterruptedException {
        race(this::armedAndSignalled, () -> associate(second), () -> {
            cq.handler(Optional.empty());
            associate(first.get());
        });
    }

    @Test
    void handlerRemovedWhileAnotherIsAssociated_theOtherStays() throws InterruptedException {
        AtomicReference<CqHandlerId> doomed = new AtomicReference<>(CqHandlerId.NONE);
        race(
                () -> {
                    doomed.set(rnic.setCompletionHandler(drains, processor));
                    associate(doomed.get());
                    cq.requestNotification(Notification.NEXT);
                    push();
                },
                () -> associate(second),
                () -> rnic.removeCompletionHandler(doomed.get()));
    }

    @Test
    void readyCallbackRemovedUnderTraffic_theHandlerIsNotified() throws InterruptedException {
        race(
                () -> {
                    cq.onReady(() -> drains.onCompletion(cq));
                    armed();
                },
                this::push,
                () -> cq.onReady(Optional.empty()));
    }

    @Test
    void processorServes_cqIsClosed_itIsIdleAndNothingRunsAfterwards() throws InterruptedException {
        AtomicReference<SoftCompletionQueue> doomed = new AtomicReference<>(cq);
        AtomicInteger after = new AtomicInteger();
        CqHandlerId counts =
                rnic.setCompletionHandler(which -> after.addAndGet(doomed.get().closed() ? 1 : 0), processor);
        race(
                () -> {
                    SoftCompletionQueue softCompletionQueue = (SoftCompletionQueue) rnic.createCompletionQueue(
                            CompletionQueueOptions.capacity(8).withHandler(counts));
                    doomed.set(softCompletionQueue);
                    softCompletionQueue.requestNotification(Notification.NEXT);
                    CqSide side = softCompletionQueue.use(0);
                    assertTrue(side.ring().claim(cqe));
                    cqe.fill(1, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
                    side.ring().publish(0);
                    side.settle();
                    softCompletionQueue.leave();
                },
                () -> {
                    processor.run();
                    after.set(0); // it may have begun before the close
                },
                () -> doomed.get().close());
        processor.run();
        assertEquals(0, after.get());
        assertTrue(doomed.get().dispatch().idle());
    }

    /**
     * A CQ gets another handler while its event is in the ring of the old one, after a record that an engine is
     * writing.
     */
    @Test
    void handlerMoved_recordBeforeItsOwnIsBeingWritten_eventReachesTheNewHandler() throws InterruptedException {
        SoftCompletionQueue stays =
                (SoftCompletionQueue) rnic.createCompletionQueue(CompletionQueueOptions.capacity(64));
        associate(first.get());
        cq.requestNotification(Notification.NEXT);
        EventRing ring = rnic.context().handlers().get(first.get()).ring();
        long claimed = ring.claim();
        push();
        Thread modifier = Thread.ofPlatform().daemon().start(() -> associate(second));
        while (modifier.getState() != Thread.State.TIMED_WAITING && modifier.isAlive()) {
            Thread.onSpinWait();
        }
        ring.write(claimed, stays.dispatch(), first.get().value(), 0, 0);
        modifier.join();
        otherProcessor.run();
        assertEquals(1, handled.get(), "the event stayed in the ring of the old handler");
    }

    /**
     * A CQ gets another handler while its event is in the ring of the old one, after events of CQs that keep the old
     * handler.
     */
    @Test
    void handlerMoved_recordAfterThoseOfOtherQueues_eventReachesTheNewHandler() {
        associate(first.get());
        cq.requestNotification(Notification.NEXT);
        EventRing ring = rnic.context().handlers().get(first.get()).ring();
        for (int others = 0; others < 8; others++) {
            SoftCompletionQueue stays =
                    (SoftCompletionQueue) rnic.createCompletionQueue(CompletionQueueOptions.capacity(64));
            stays.handler(Optional.of(first.get()));
            ring.write(ring.claim(), stays.dispatch(), first.get().value(), 0, 0);
        }
        push();
        associate(second);
        otherProcessor.run();
        assertEquals(1, handled.get(), "the event stayed in the ring of the old handler");
    }
}
