package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.host.Until;
import io.verbena.host.socket.SocketLoop;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine thread, and threads that borrow its engine. */
class LentEngineThreadTest {

    private static final BooleanSupplier NEVER = () -> false;
    private static final long MS = 1_000_000;

    /** {@link EngineOwnershipModelTest} explores the orders of the steps; this test shows that the threads take these steps. */
    private static final int RINGS = Rounds.of(500, 5_000);

    private SocketLoop loop;
    private FakeEngine engine;
    private EngineThread thread;
    private EngineBorrower me;

    @BeforeEach
    void start() throws IOException {
        loop = new SocketLoop(0);
        engine = new FakeEngine();
        thread = new EngineThread("test-engine", loop, engine);
        thread.start();
        me = new EngineBorrower();
    }

    @AfterEach
    void stop() throws IOException {
        assertTrue(thread.stop(Until.LONG_NS));
        loop.close();
    }

    private int borrow(long timeoutNs) {
        return thread.borrowing().borrow(me, timeoutNs, NEVER);
    }

    /** The thread of a turn that starts now. */
    private Thread driver() {
        AtomicReference<Thread> found = new AtomicReference<>();
        engine.submit(() -> found.set(Thread.currentThread()));
        thread.wake();
        Until.holds("a turn", () -> found.get() != null);
        return found.get();
    }

    @Test
    void anyState_rungByAnother_isHeardEveryTime() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Thread borrows = Thread.ofPlatform().daemon().start(() -> {
            EngineBorrower borrower = new EngineBorrower();
            SplittableRandom random = new SplittableRandom(2);
            while (!done.get()) {
                thread.borrowing().borrow(borrower, random.nextInt(400_000), NEVER);
                long away = System.nanoTime() + random.nextInt(random.nextInt(20) == 0 ? 1_500_000 : 20_000);
                while (System.nanoTime() - away < 0) {
                    Thread.onSpinWait();
                }
            }
        });
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 1; i <= RINGS; i++) {
            long rung = engine.rung.incrementAndGet();
            thread.wake();
            long spunNs = engine.spinUntilHeard(rung);
            int round = i;
            assertTrue(spunNs < 500 * MS, () -> "ring " + round + " was heard after a spin of " + spunNs + " ns");
            long gapEndNs = System.nanoTime() + random.nextInt(100_000);
            while (System.nanoTime() - gapEndNs < 0) {
                Thread.onSpinWait();
            }
        }
        done.set(true);
        borrows.join();
    }

    @Test
    void borrowing_turnsRunInTheBorrower() {
        AtomicReference<Thread> found = new AtomicReference<>();
        Until.holds("the engine is lent and idle", () -> {
            borrow(MS); // in vain as long as the engine thread has it still
            return thread.borrowing().takeForDoorbell();
        });
        engine.submit(() -> found.set(Thread.currentThread()));
        thread.wake();
        assertEquals(Thread.currentThread(), found.get(), "the turn is over when the doorbell has been rung");
        assertFalse(thread.drivenBy(Thread.currentThread()));
    }

    /** Else each of its doorbells would call the engine thread, which would take the engine from the thread that polls. */
    @Test
    void borrowedByAnotherSince_turnsOfOwnDoorbellsRunHere() {
        AtomicReference<Thread> found = new AtomicReference<>();
        Until.holds("the engine was lent to this thread, then to another one, and is idle", () -> {
            borrow(MS);
            joined(Thread.ofPlatform().start(() -> thread.borrowing().borrow(new EngineBorrower(), MS, NEVER)));
            return thread.borrowing().takeForDoorbell();
        });
        engine.submit(() -> found.set(Thread.currentThread()));
        thread.wake();
        assertEquals(Thread.currentThread(), found.get());
        assertFalse(thread.drivenBy(Thread.currentThread()));
    }

    private static void joined(Thread other) {
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void neverBorrowed_doorbellDoesNotRunTurnsHere() {
        AtomicReference<Boolean> taken = new AtomicReference<>();
        borrow(MS);
        joined(Thread.ofPlatform().start(() -> taken.set(thread.borrowing().takeForDoorbell())));
        assertEquals(false, taken.get());
    }

    /** A yield to threads that compute would last for their time slices. */
    @Test
    void polledInVain_pauseIsThatOfACrowdedMachine() {
        AtomicInteger asked = new AtomicInteger();
        me.pause().rule(_ -> {
            asked.incrementAndGet();
            return false;
        });
        Until.holds("a look in vain beside threads that compute", () -> {
            thread.borrowing().look(me);
            thread.borrowing().look(me);
            return asked.get() > 1 && me.pause().crowded();
        });
    }

    @Test
    void engineThreadDrives_polledRepeatedly_pollsDrive() {
        AtomicReference<Thread> found = new AtomicReference<>();
        Until.holds("a turn in the thread that polls", () -> {
            engine.submit(() -> found.set(Thread.currentThread()));
            thread.borrowing().look(me);
            thread.borrowing().look(me);
            return found.get() == Thread.currentThread();
        });
    }

    @Test
    void borrowed_secondThreadPolls_doesNotDrive() {
        untilItWaits();
        int[] turns = new int[2];
        thread.borrowing().borrow(me, Until.LONG_NS, () -> {
            if (!thread.drivenBy(Thread.currentThread())) {
                return false; // the engine thread has it still
            }
            turns[0] = engine.turns;
            Thread second = Thread.ofPlatform().start(() -> lookOften(new EngineBorrower()));
            try {
                second.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            turns[1] = engine.turns;
            return true;
        });
        assertEquals(turns[0], turns[1]);
    }

    private void lookOften(EngineBorrower other) {
        for (int i = 0; i < 100; i++) {
            thread.borrowing().look(other);
        }
    }

    @Test
    void borrowerAway_rungByAnother_engineThreadTakesOver() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            untilItWaits();
            AtomicReference<Thread> driver = new AtomicReference<>();
            Thread.ofPlatform().start(() -> driver.set(driver())).join();
            assertTrue(driver.get() instanceof EngineThread.Worker);
        }
    }

    @Test
    void borrowed_released_engineThreadDrivesWithoutADoorbell() {
        untilItWaits();
        int turns = engine.turns;
        thread.borrowing().release();
        Until.holds("a turn of the engine thread", () -> engine.turns > turns);
        assertFalse(thread.borrowing().takeForDoorbell(), "the borrowing has ended");
    }

    @Test
    void borrowerAway_deadlinePasses_engineThreadFires() {
        untilItWaits();
        engine.deadlineNs = System.nanoTime() + 10 * MS;
        Until.holds("fired", () -> engine.firedAtNs != 0);
    }

    @Test
    void borrowing_deadlinePasses_borrowerFires() {
        untilItWaits();
        engine.deadlineNs = System.nanoTime() + 10 * MS;
        borrow(30 * MS);
        assertTrue(engine.firedAtNs != 0);
    }

    @Test
    void borrowerInsideForLong_leaves_engineThreadTakesOver() {
        assertEquals(0, waits(50 * MS)); // the engine thread rests
        Until.holds("taken over", () -> driver() instanceof EngineThread.Worker);
    }

    /** Until a wait inside the engine ended without work. One that never got the engine, on a busy machine, ends without work too. */
    private void untilItWaits() {
        AtomicBoolean inside = new AtomicBoolean();
        int work;
        do {
            inside.set(false);
            work = thread.borrowing().borrow(me, MS, () -> {
                inside.compareAndSet(false, thread.drivenBy(Thread.currentThread()));
                return false;
            });
        } while (work > 0 || !inside.get());
    }

    private int waits(long timeoutNs) {
        int work;
        do {
            work = borrow(timeoutNs);
        } while (work > 0);
        return work;
    }

    @Test
    void borrowed_secondThread_doesNotBorrow() throws InterruptedException {
        AtomicBoolean refused = new AtomicBoolean();
        engine.submit(() -> {});
        untilItWaits();
        thread.borrowing().borrow(me, 20 * MS, () -> {
            if (!refused.get()) {
                Thread second = Thread.ofPlatform()
                        .start(() -> refused.set(thread.borrowing().borrow(new EngineBorrower(), MS, NEVER) < 0));
                try {
                    second.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return true;
        });
        assertTrue(refused.get());
    }

    @Test
    void borrowed_stopped_waitEndsAndNoTurnFollows() throws InterruptedException {
        Thread borrows = Thread.ofPlatform().daemon().start(() -> {
            EngineBorrower borrower = new EngineBorrower();
            while (thread.borrowing().borrow(borrower, Until.LONG_NS, NEVER) >= 0) {
                // until it is stopped
            }
        });
        Until.holds("borrowed", () -> thread.drivenBy(borrows));
        assertTrue(thread.stop(Until.LONG_NS));
        int turns = engine.turns;
        engine.rung.incrementAndGet();
        thread.wake();
        borrows.join();
        assertEquals(turns, engine.turns);
    }

    @Test
    void borrowed_streamsFail_engineThreadDrivesOnWithoutThem() throws IOException {
        engine.onFailure = cause -> true;
        untilItWaits();
        loop.close(); // calls of the selector throw from now on
        // Whichever thread drives meets the failure; nothing can be borrowed after that.
        Until.holds("not lent any more", () -> borrow(MS) < 0);
        Until.holds("taken over", () -> driver() instanceof EngineThread.Worker);
        assertNull(thread.failure());
    }

    @Test
    void borrowed_turnThrows_engineThreadEndsAndTheFailureIsKept() {
        Thread.currentThread().setUncaughtExceptionHandler((failed, e) -> {});
        untilItWaits();
        if (thread.borrowing().takeForDoorbell()) {
            engine.submit(() -> {
                throw new IllegalStateException("on purpose");
            });
            thread.wake();
            assertNotNull(thread.failure());
            assertEquals(-1, borrow(MS));
        }
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }
}
