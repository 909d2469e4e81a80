package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads close one object: none returns before it is closed. */
@Timeout(60)
class ConcurrentCloseTest {

    private final Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
    private final Site site = new Site(rnic);
    private final CountDownLatch turnMayEnd = new CountDownLatch(1);

    @AfterEach
    void close() {
        turnMayEnd.countDown();
        rnic.close();
    }

    /** Keeps the engine inside a turn. */
    private void occupyEngine() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        ((SoftRnic) rnic).engine(0).submit(() -> {
            inside.countDown();
            try {
                turnMayEnd.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        inside.await();
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** Two threads close while the engine may use the object: both wait for it. */
    private void assertBothWait(Runnable close, Runnable afterwards) throws InterruptedException {
        occupyEngine();
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
        assertTrue(closers.stream().allMatch(Thread::isAlive), "a close returned while the engine was inside a turn");
        turnMayEnd.countDown();
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
    void region_closedInsideATurn_isRefusedAndCanBeClosedLater() throws InterruptedException {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        CountDownLatch tried = new CountDownLatch(1);
        ((SoftRnic) rnic).engine(0).submit(() -> {
            try {
                site.memory.close();
            } catch (Throwable e) {
                refusal.set(e);
            }
            tried.countDown();
        });
        tried.await();
        assertInstanceOf(IllegalStateException.class, refusal.get());
        site.queuePair.close();
        assertThrows(IllegalStateException.class, site.domain::close, "the region is not released yet");
        site.memory.close();
        site.domain.close();
    }
}
