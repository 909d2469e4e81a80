package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Set Completion Handler with invalid use: too many handlers at once, null, a processor that fails. */
class HandlerRegistrationTest {

    private static final CqHandler NOTHING = cq -> {};

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic(RnicOptions.defaults().withSettings(Map.of("handlers", "4")));

    @AfterEach
    void close() {
        world.close();
    }

    /** Returns a number of addresses, then throws. */
    private static final class Failing implements HandlerProcessor {
        private final List<EventSource> attached = new ArrayList<>();
        private final AtomicInteger detached = new AtomicInteger();
        private int left;

        Failing(int left) {
            this.left = left;
        }

        @Override
        public void signal(CqHandlerId handler, Runnable work) {
            throw new AssertionError("every address was accepted");
        }

        @Override
        public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
            if (left-- == 0) {
                throw new StackOverflowError("thrown by this test");
            }
            attached.add(source);
            return Optional.of(new EventAddress() {
                @Override
                public void signal() {
                    throw new AssertionError("thrown by this test");
                }

                @Override
                public void options(HandlerOptions changed) {}

                @Override
                public void detach() {
                    detached.incrementAndGet();
                    throw new StackOverflowError("thrown by this test");
                }
            });
        }
    }

    @Test
    void several_processorFailsAtTheThird_noneIsRegistered() {
        Failing processor = new Failing(2);
        assertThrows(
                StackOverflowError.class,
                () -> rnic.setCompletionHandlers(
                        List.of(NOTHING, NOTHING, NOTHING), processor, HandlerOptions.defaults()));
        assertEquals(0, rnic.query().completionHandlersInUse());
        assertEquals(2, processor.detached.get(), "every address that was assigned was released");
        assertEquals(
                4,
                rnic.setCompletionHandlers(List.of(NOTHING, NOTHING, NOTHING, NOTHING), work(), defaults())
                        .size());
    }

    private static HandlerProcessor work() {
        return (id, work) -> work.run();
    }

    private static HandlerOptions defaults() {
        return HandlerOptions.defaults();
    }

    @Test
    void several_twoThreadsAndPlacesForOne_oneRegistersAllAndTheOtherNone() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            List<List<CqHandlerId>> got = new ArrayList<>();
            AtomicInteger refused = new AtomicInteger();
            CountDownLatch begin = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        begin.await();
                        List<CqHandlerId> own =
                                rnic.setCompletionHandlers(List.of(NOTHING, NOTHING, NOTHING), work(), defaults());
                        synchronized (got) {
                            got.add(own);
                        }
                    } catch (IllegalStateException e) {
                        refused.incrementAndGet();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }));
            }
            begin.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(1, refused.get());
            assertEquals(3, rnic.query().completionHandlersInUse());
            got.getFirst().forEach(rnic::removeCompletionHandler);
        }
    }

    @Test
    @NullUnmarked
    void nullHandlerOrOptions_isRejected() {
        @Nullable CqHandler none = null;
        @Nullable HandlerOptions noOptions = null;
        CqHandlerId id = rnic.setCompletionHandler(NOTHING);
        refused("a CQ handler must not be null", () -> rnic.setCompletionHandler(none));
        refused(
                "a CQ handler must not be null",
                () -> rnic.setCompletionHandlers(Arrays.asList(NOTHING, none), work(), defaults()));
        refused("a CQ handler must not be null", () -> rnic.replaceCompletionHandler(id, none));
        refused("the options of a CQ handler must not be null", () -> rnic.modifyCompletionHandler(id, noOptions));
        refused(
                "the options of a CQ handler must not be null",
                () -> rnic.setCompletionHandler(NOTHING, work(), noOptions));
        refused("a handler processor must not be null", () -> rnic.setCompletionHandler(NOTHING, null));
        refused("the class of a handler must not be null", () -> new HandlerOptions(null, 0));
        assertEquals(1, rnic.query().completionHandlersInUse());
    }

    private static void refused(String sentence, Runnable step) {
        NullPointerException refused = assertThrows(NullPointerException.class, step::run);
        assertEquals(sentence, refused.getMessage());
    }

    @Test
    void closedRnic_noHandlerIsRegistered() {
        rnic.close();
        assertThrows(IllegalStateException.class, () -> rnic.setCompletionHandler(NOTHING));
    }

    @Test
    void processorThrowsAnErrorAtTheSignal_engineContinues_anEventReportsIt_anotherHandlerIsNotified() {
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(
                CompletionQueueOptions.capacity(8).withHandler(rnic.setCompletionHandler(NOTHING, new Failing(1))));
        HandlerProcessor throwing = (id, work) -> {
            throw new AssertionError("thrown by this test");
        };
        SoftCompletionQueue plain = (SoftCompletionQueue) rnic.createCompletionQueue(
                CompletionQueueOptions.capacity(8).withHandler(rnic.setCompletionHandler(NOTHING, throwing)));
        for (SoftCompletionQueue each : List.of(cq, plain)) {
            each.requestNotification(Notification.NEXT);
            each.use(0);
            Notified.push(each, 1);
        }
        List<AsyncEvent> observed = rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(
                List.of(AsyncEventType.HANDLER_PROCESSOR_FAILED, AsyncEventType.HANDLER_PROCESSOR_FAILED),
                observed.stream().map(AsyncEvent::type).toList());
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId living = rnic.setCompletionHandler(any -> runs.incrementAndGet());
        cq.handler(Optional.of(living));
        plain.handler(Optional.of(living));
        world.settle();
        assertEquals(2, runs.get());
        assertTrue(cq.dispatch().idle());
    }

    /** Starts a handler in a thread of its own that does not end before the test releases it; returns when it runs. */
    private CqHandlerId endless(SoftCompletionQueue cq, CountDownLatch release) throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CqHandlerId id = rnic.setCompletionHandler(
                any -> {
                    entered.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                (datum, work) -> Thread.ofPlatform().daemon().start(work));
        cq.use(0);
        cq.handler(Optional.of(id));
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        entered.await();
        return id;
    }

    @Test
    void handlerNeverEnds_removalAndCloses_failAfterTenSeconds() throws InterruptedException {
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(8);
        CountDownLatch release = new CountDownLatch(1);
        CqHandlerId id = endless(cq, release);
        long beganNs = world.nowNs;
        late("CQ handler " + id.value() + " is removed, but it", () -> rnic.removeCompletionHandler(id));
        assertEquals(10_000_000_000L, world.nowNs - beganNs);
        cq.leave();
        late("The completion queue is closed, but its handler", cq::close);
        late("The RNIC is closed, but a handler", rnic::close);
        release.countDown();
    }

    private static void late(String beginning, Runnable step) {
        VerbsException thrown = assertThrows(VerbsException.class, step::run);
        assertEquals(beginning + " still runs after 10 seconds.", thrown.getMessage());
    }

    @Test
    void insideAnEnginesTurn_removalOfARunningHandler_failsBecauseItCannotWait() throws InterruptedException {
        SoftCompletionQueue cq = (SoftCompletionQueue) rnic.createCompletionQueue(8);
        CountDownLatch release = new CountDownLatch(1);
        CqHandlerId id = endless(cq, release);
        AtomicReference<String> sentence = new AtomicReference<>("");
        rnic.engine(0).submit(() -> {
            VerbsException thrown = assertThrows(VerbsException.class, () -> rnic.removeCompletionHandler(id));
            sentence.set(String.valueOf(thrown.getMessage()));
        });
        world.settle();
        assertTrue(
                sentence.get().endsWith("A callback inside the RNIC's engine cannot wait for its end."),
                sentence.get());
        release.countDown();
        ManualEnvironment.of(rnic).handlersHaveThreads = true; // from now on it can end
    }
}
