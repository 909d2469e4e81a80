package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.system.Threads;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ending a handler that runs in another thread waits for it, interrupted or not, and keeps the interrupt status. */
class HandlerEndsTest {

    private final Rnic rnic = new IwarpProvider().open(RnicOptions.defaults());
    private final HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.thread("ending"));
    private final Site near = new Site(rnic);
    private final Site far = new Site(rnic);
    private final CompletionQueue cq = rnic.createCompletionQueue(16);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch waiterKnown = new CountDownLatch(1);
    private final AtomicReference<Thread> waiter = new AtomicReference<>(Thread.currentThread());
    private final AtomicBoolean handlerEnded = new AtomicBoolean();
    private boolean interruptsWait;

    @BeforeEach
    void connect() throws IOException {
        Site.connect(rnic, near.queuePair, far.queuePair);
    }

    @AfterEach
    void close() {
        rnic.close();
        processor.close();
    }

    /** Runs until the thread that ends it waits, or has returned too early; may interrupt the wait. */
    private void handle(CompletionQueue which) {
        entered.countDown();
        awaitLatch(waiterKnown);
        Thread ending = waiter.get();
        Until.holds("the other thread waits", () -> waits(ending) || !ending.isAlive());
        if (interruptsWait) {
            ending.interrupt();
            Until.holds(
                    "the other thread waits again",
                    () -> !ending.isInterrupted() && waits(ending) || !ending.isAlive());
        }
        if (ending.isAlive()) {
            handlerEnded.set(true);
        }
    }

    private static boolean waits(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** An entry comes and the handler runs. */
    private void begin(CompletionQueue which) {
        which.requestNotification(Notification.NEXT);
        assertTrue(far.queuePair.postReceive(1, far.memory, 0, 8));
        assertTrue(near.queuePair.postSend(2, near.memory, 0, 8, WrFlags.SIGNALLED));
        near.complete(2);
        awaitLatch(entered);
    }

    /** The step returns when the handler has ended, and not before. */
    private void returnsAfterTheHandler(boolean interruptedBefore, Runnable step) {
        AtomicBoolean endedFirst = new AtomicBoolean();
        AtomicBoolean statusKept = new AtomicBoolean();
        AtomicReference<Optional<Throwable>> thrown = new AtomicReference<>(Optional.empty());
        Thread ending = Thread.ofPlatform().start(() -> {
            if (interruptedBefore) {
                Thread.currentThread().interrupt();
            }
            try {
                step.run();
            } catch (Throwable e) {
                thrown.set(Optional.of(e));
            }
            endedFirst.set(handlerEnded.get());
            statusKept.set(Thread.currentThread().isInterrupted());
        });
        waiter.set(ending);
        waiterKnown.countDown();
        assertTrue(Threads.join(ending, Until.LONG_NS));
        assertEquals(Optional.empty(), thrown.get());
        assertTrue(endedFirst.get(), "returned while the handler ran");
        assertEquals(interruptedBefore || interruptsWait, statusKept.get(), "the interrupt status was not kept");
    }

    private CqHandlerId registered(CompletionQueue which, HandlerProcessor on) {
        CqHandlerId id = rnic.setCompletionHandler(this::handle, on);
        which.handler(Optional.of(id));
        return id;
    }

    @Test
    void removeCompletionHandler_interruptedBefore_waits() {
        CqHandlerId id = registered(far.cq, processor);
        begin(far.cq);
        returnsAfterTheHandler(true, () -> rnic.removeCompletionHandler(id));
    }

    @Test
    void removeCompletionHandler_interruptedWhileItWaits_waitsOn() {
        interruptsWait = true;
        CqHandlerId id = registered(far.cq, processor);
        begin(far.cq);
        returnsAfterTheHandler(false, () -> rnic.removeCompletionHandler(id));
    }

    @Test
    void rnicClose_interruptedBefore_handlerOnAProcessorOfItsOwn_waits() {
        registered(far.cq, processor);
        begin(far.cq);
        returnsAfterTheHandler(true, rnic::close);
    }

    @Test
    void rnicClose_interruptedWhileItWaits_waitsOn() {
        interruptsWait = true;
        registered(far.cq, processor);
        begin(far.cq);
        returnsAfterTheHandler(false, rnic::close);
    }

    @Test
    void rnicClose_handlerWasMovedAwayWhileItRan_waits() {
        registered(far.cq, processor);
        begin(far.cq);
        far.cq.handler(Optional.empty());
        returnsAfterTheHandler(false, rnic::close);
    }

    @Test
    void cqClose_interruptedBefore_waits() throws IOException {
        Site third = new Site(rnic);
        registered(third.cq, processor);
        third.cq.requestNotification(Notification.NEXT);
        third.queuePair.postReceive(1, third.memory, 0, 8);
        third.queuePair.close(); // its receive is flushed
        awaitLatch(entered);
        returnsAfterTheHandler(true, third.cq::close);
    }

    @Test
    void readyTakenBack_interruptedBefore_waits() {
        far.cq.onReady(() -> handle(far.cq));
        begin(far.cq);
        returnsAfterTheHandler(true, () -> far.cq.onReady(Optional.empty()));
    }

    @Test
    void removeCompletionHandler_whileItsClosedCqStillRuns_waits() throws IOException {
        Site third = new Site(rnic);
        CqHandlerId id = registered(third.cq, processor);
        third.cq.requestNotification(Notification.NEXT);
        third.queuePair.postReceive(1, third.memory, 0, 8);
        third.queuePair.close();
        awaitLatch(entered);
        Thread closing = Thread.ofPlatform().start(third.cq::close);
        Until.holds("the CQ is being closed", () -> waits(closing));
        returnsAfterTheHandler(false, () -> rnic.removeCompletionHandler(id));
        assertTrue(Threads.join(closing, Until.LONG_NS));
        assertFalse(cq.overflowed());
    }
}
