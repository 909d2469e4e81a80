package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WindowOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads close one object: none returns before it is closed. */
@Timeout(60)
class ConcurrentCloseTest {

    private static final int PAGE = 4096;

    private final Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
    private final Site site = new Site(rnic);
    private final List<CountDownLatch> turns = new ArrayList<>();

    @AfterEach
    void close() {
        turns.forEach(CountDownLatch::countDown);
        rnic.close();
    }

    /** Keeps the engine inside a turn until the result is counted down. */
    private CountDownLatch occupyEngine() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch mayLeave = new CountDownLatch(1);
        turns.add(mayLeave);
        ((SoftRnic) rnic).engine(0).submit(() -> {
            inside.countDown();
            awaitLatch(mayLeave);
        });
        inside.await();
        return mayLeave;
    }

    /** What a call throws inside a turn of the engine. */
    private Throwable refusalInsideATurn(Runnable call) throws InterruptedException {
        AtomicReference<Throwable> refusal = new AtomicReference<>(new AssertionError("not refused"));
        CountDownLatch tried = new CountDownLatch(1);
        ((SoftRnic) rnic).engine(0).submit(() -> {
            try {
                call.run();
            } catch (Throwable e) {
                refusal.set(e);
            }
            tried.countDown();
        });
        tried.await();
        return refusal.get();
    }

    private Thread engineThread() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>(Thread.currentThread());
        CountDownLatch known = new CountDownLatch(1);
        ((SoftRnic) rnic).engine(0).submit(() -> {
            thread.set(Thread.currentThread());
            known.countDown();
        });
        known.await();
        return thread.get();
    }

    private VirtualMemory virtualMemory() {
        return rnic.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(16 * PAGE));
    }

    /** A close that may fail, for threads of the test. */
    private static Runnable closed(AutoCloseable object) {
        return () -> {
            try {
                object.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /** A CQ with an entry, for which the handler runs. */
    private CompletionQueue handled(CqHandler handler) throws IOException {
        CompletionQueue cq = rnic.createCompletionQueue(16);
        cq.handler(Optional.of(rnic.setCompletionHandler(handler)));
        QueuePair receiver = site.domain.createQueuePair(QueuePairOptions.of(cq));
        cq.requestNotification(Notification.NEXT);
        Site.connect(rnic, site.queuePair, receiver);
        assertTrue(receiver.postReceive(1, site.memory, 0, 8));
        receiver.close();
        return cq;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** Two threads close while the engine may use the object: both wait for it. */
    private void assertBothWait(Runnable close, Runnable afterwards) throws InterruptedException {
        CountDownLatch mayLeave = occupyEngine();
        assertBothWait(close, afterwards, mayLeave::countDown);
    }

    /** Two threads close: both wait until {@code release}. */
    private static void assertBothWait(Runnable close, Runnable afterwards, Runnable release)
            throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> closers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread closer = new Thread(() -> {
                try {
                    close.run();
                    afterwards.run();
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            closers.add(closer);
            closer.start();
            Until.holds("a thread waits or ends", () -> waits(closer) || !closer.isAlive());
        }
        assertTrue(closers.stream().allMatch(Thread::isAlive), "a close returned while the object was in use");
        release.run();
        for (Thread closer : closers) {
            closer.join();
        }
        assertEquals(List.of(), failures);
    }

    @Test
    void region_twoThreadsCloseIt_bothReturnAfterTheEngineHasLeftIt() throws InterruptedException {
        assertBothWait(site.memory::close, () -> assertFalse(site.memory.valid()));
    }

    @Test
    void window_twoThreadsCloseIt_bothReturnAfterTheEngineHasLeftIt() throws InterruptedException {
        MemoryWindow window = site.domain.allocateWindow();
        assertBothWait(window::close, () -> {});
    }

    @Test
    void queuePair_twoThreadsCloseIt_bothMayCloseItsCq() throws InterruptedException {
        assertBothWait(site.queuePair::close, site.cq::close);
    }

    @Test
    void accessWithdrawn_whileTheEngineMayUseIt_returnsAfterTheTurn() throws Exception {
        MemoryWindow window =
                site.domain.allocateWindow(WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN));
        MemoryRegion region = site.domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.BIND);
        AddressSegment segment = virtualMemory().createAddressSpace("a").map(2 * PAGE);
        window.bind(region, 0, 8, AccessRight.REMOTE_READ);
        List<Runnable> withdrawals = List.of(
                () -> window.bind(region, 0, 4, AccessRight.REMOTE_READ),
                window::unbind,
                region::renewKey,
                () -> segment.protect(false),
                closed(() -> segment.shrink(PAGE)));
        for (Runnable withdrawal : withdrawals) {
            int before = region.rkey();
            assertInstanceOf(IllegalStateException.class, refusalInsideATurn(withdrawal));
            assertEquals(before, region.rkey());
            Thread waiting = Thread.ofPlatform().unstarted(withdrawal);
            CountDownLatch mayLeave = occupyEngine();
            waiting.start();
            Until.holds("the thread waits or ends", () -> waits(waiting) || !waiting.isAlive());
            assertTrue(waiting.isAlive(), "returned while the engine was inside a turn");
            mayLeave.countDown();
            waiting.join();
        }
        assertFalse(window.bound());
        assertEquals(PAGE, segment.length());
    }

    @Test
    void addressSegment_twoThreadsCloseIt_bothReturnAfterTheEngineHasLeftIt() throws Exception {
        AddressSpace space = virtualMemory().createAddressSpace("a");
        AddressSegment segment = space.map(PAGE);
        assertBothWait(closed(segment::close), () -> assertEquals(List.of(), space.segments()));
    }

    @Test
    void addressSpace_twoThreadsCloseIt_bothReturnAfterTheEngineHasLeftIt() throws Exception {
        VirtualMemory memory = virtualMemory();
        AddressSpace space = memory.createAddressSpace("a");
        space.map(PAGE);
        assertBothWait(closed(space::close), () -> assertEquals(List.of(), memory.addressSpaces()));
    }

    @Test
    void virtualMemory_twoThreadsCloseIt_bothReturnAfterTheEngineHasLeftIt() throws Exception {
        VirtualMemory memory = virtualMemory();
        memory.createAddressSpace("a").map(PAGE);
        assertBothWait(memory::close, () -> assertEquals(List.of(), memory.addressSpaces()));
    }

    @Test
    void rnic_twoThreadsCloseIt_bothReturnAfterItsEngineHasEnded() throws InterruptedException {
        Thread engine = engineThread();
        assertBothWait(rnic::close, () -> assertFalse(engine.isAlive()));
    }

    @Test
    void completionQueue_twoThreadsCloseItWhileItsHandlerRuns_bothReturnAfterTheHandler() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch handlerMayEnd = new CountDownLatch(1);
        CompletionQueue cq = handled(any -> {
            inside.countDown();
            awaitLatch(handlerMayEnd);
        });
        inside.await();
        assertBothWait(cq::close, () -> assertEquals(0, handlerMayEnd.getCount()), handlerMayEnd::countDown);
    }

    @Test
    void completionQueue_closedWhileAThreadAwaitsAnEntry_endsTheWait() throws Exception {
        CompletionQueue cq = rnic.createCompletionQueue(16);
        AtomicReference<Boolean> result = new AtomicReference<>(true);
        Thread waiting = Thread.ofPlatform().start(() -> result.set(cq.await(Duration.ofMinutes(10))));
        Until.holds("the thread waits", () -> waits(waiting));
        cq.close();
        waiting.join();
        assertFalse(result.get());
    }

    @Test
    void rnic_closedByAHandlerThatItsCloserWaitsFor_isClosedWithoutDelay() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicReference<Thread> closer = new AtomicReference<>(Thread.currentThread());
        CountDownLatch closerKnown = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        handled(any -> {
            inside.countDown();
            awaitLatch(closerKnown);
            Until.holds("the other thread waits for this handler", () -> waits(closer.get()));
            try {
                rnic.close();
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        inside.await();
        Thread closing = Thread.ofPlatform().unstarted(() -> {
            try {
                rnic.close();
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        closer.set(closing);
        closing.start();
        closerKnown.countDown();
        closing.join();
        assertNull(thrown.get());
    }

    @Test
    void addressSegment_closedInsideATurn_isRefusedUnchangedAndCanBeClosedLater() throws Exception {
        AddressSpace space = virtualMemory().createAddressSpace("a");
        AddressSegment segment = space.map(PAGE);
        assertInstanceOf(IllegalStateException.class, refusalInsideATurn(closed(segment::close)));
        assertInstanceOf(IllegalStateException.class, refusalInsideATurn(() -> segment.protect(false)));
        assertTrue(segment.writable());
        segment.close();
        assertEquals(List.of(), space.segments());
    }

    @Test
    void region_closedInsideATurn_isRefusedAndCanBeClosedLater() throws InterruptedException {
        assertInstanceOf(IllegalStateException.class, refusalInsideATurn(site.memory::close));
        site.queuePair.close();
        assertThrows(IllegalStateException.class, site.domain::close, "the region is not released yet");
        site.memory.close();
        site.domain.close();
    }
}
