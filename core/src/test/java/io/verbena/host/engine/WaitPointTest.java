package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.Until;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WaitInterruptedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitPointTest {

    private final ParkingWaitPoint point = new ParkingWaitPoint(() -> {});

    private static Thread start(boolean virtual, Runnable work) {
        return virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waiting_turnByTurn_noSignalIsLost(boolean virtual) throws InterruptedException {
        AtomicLong ball = new AtomicLong();
        int rounds = 20_000;
        AtomicInteger lost = new AtomicInteger();
        ParkingWaitPoint back = new ParkingWaitPoint(() -> {});
        Thread waiter = start(virtual, () -> {
            for (int i = 0; i < rounds; i++) {
                long local = 2L * i + 1;
                if (!point.await(() -> ball.get() == local, Until.LONG_NS)) {
                    lost.incrementAndGet();
                    return;
                }
                ball.incrementAndGet();
                back.signal();
            }
        });
        for (int i = 0; i < rounds && lost.get() == 0; i++) {
            long remote = 2L * i;
            assertTrue(back.await(() -> ball.get() == remote, Until.LONG_NS));
            ball.incrementAndGet();
            point.signal();
        }
        waiter.join();
        assertEquals(0, lost.get());
        assertEquals(2L * rounds, ball.get());
    }

    @Test
    void manyVirtualThreads_oneSignal_wakesAll() throws InterruptedException {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger through = new AtomicInteger();
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            waiters.add(start(true, () -> {
                if (point.await(() -> open.get() == 1, Until.LONG_NS)) {
                    through.incrementAndGet();
                }
            }));
        }
        Until.holds(
                "all wait", () -> waiters.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        open.set(1);
        point.signal();
        for (Thread waiter : waiters) {
            waiter.join();
        }
        assertEquals(2000, through.get());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neverSignalled_timeRunsOut_falseAndNotEarly(boolean virtual) throws Exception {
        FutureTask<Long> wait = new FutureTask<>(() -> {
            long startNs = System.nanoTime();
            assertFalse(point.await(() -> false, 20_000_000));
            return System.nanoTime() - startNs;
        });
        start(virtual, wait);
        assertTrue(wait.get() >= 20_000_000);
    }

    @Test
    void noTime_conditionHolds_true() {
        assertTrue(point.await(() -> true, 0));
        assertFalse(point.await(() -> false, 0));
        assertFalse(point.await(() -> false, -5));
    }

    @Test
    void endlessTime_signalled_returns() throws Exception {
        AtomicInteger open = new AtomicInteger();
        FutureTask<Boolean> wait = new FutureTask<>(() -> point.await(() -> open.get() == 1, Long.MAX_VALUE));
        Thread waiter = start(false, wait);
        Until.holds("parked", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        open.set(1);
        point.signal();
        assertTrue(wait.get());
    }

    @Test
    void waiting_interrupted_saysSoAtOnceWithTheStatusKept() throws Exception {
        FutureTask<Boolean> wait = new FutureTask<>(() -> {
            assertThrows(WaitInterruptedException.class, () -> point.await(() -> false, Until.LONG_NS));
            return Thread.interrupted();
        });
        Thread waiter = start(true, wait);
        Until.holds("parked", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        waiter.interrupt();
        assertTrue(wait.get());
    }

    @Test
    void uninterruptible_interrupted_parksOnAndKeepsTheStatus() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        FutureTask<Boolean> wait = new FutureTask<>(() -> point.awaitUninterruptibly(
                        () -> {
                            looks.incrementAndGet();
                            return open.get() == 1;
                        },
                        Until.LONG_NS)
                && Thread.interrupted());
        Thread waiter = start(true, wait);
        Until.holds("parked", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        int before = looks.get();
        waiter.interrupt();
        Until.holds("parked again", () -> looks.get() > before && waiter.getState() == Thread.State.TIMED_WAITING);
        open.set(1);
        point.signal();
        assertTrue(wait.get());
        assertTrue(looks.get() < before + 100, "it parks instead of spinning: " + looks);
    }

    @Test
    void engineDied_await_says() {
        ParkingWaitPoint doomed = new ParkingWaitPoint(() -> {
            throw new VerbsException("An engine of this RNIC has failed");
        });
        assertThrows(VerbsException.class, () -> doomed.await(() -> false, Until.LONG_NS));
    }
}
