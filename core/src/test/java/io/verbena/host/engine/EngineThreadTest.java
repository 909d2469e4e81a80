package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.host.HostEnvironment;
import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.host.socket.SocketLoop;
import io.verbena.host.system.Pinning;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineThreadTest {

    /** {@link EngineOwnershipModelTest} explores the orders of the steps; this test shows that the threads take these steps. */
    private static final int RINGS = Rounds.of(1_000, 10_000);

    private SocketLoop loop;
    private FakeEngine engine;
    private EngineThread thread;

    @BeforeEach
    void start() throws IOException {
        loop = new SocketLoop(0);
        engine = new FakeEngine();
        thread = new EngineThread("test-engine", loop, engine);
        thread.start();
    }

    @AfterEach
    void stop() throws IOException {
        assertTrue(thread.stop(Until.LONG_NS));
        loop.close();
    }

    @Test
    void anyState_rung_isHeardEveryTime() {
        // Gaps around the spin's length make the ring fall before, into and after the parking; a lost one would stay
        // unheard for the second that a park lasts at most. Only the time in which this thread has a processor counts,
        // because a machine that does other things can keep the engine's thread waiting for seconds.
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 1; i <= RINGS; i++) {
            long rung = engine.rung.incrementAndGet();
            thread.wake();
            long spunNs = engine.spinUntilHeard(rung);
            int round = i;
            assertTrue(spunNs < 500_000_000, () -> "ring " + round + " was heard after a spin of " + spunNs + " ns");
            long gapEndNs = System.nanoTime() + random.nextInt(100_000);
            while (System.nanoTime() - gapEndNs < 0) {
                Thread.onSpinWait();
            }
        }
        assertTrue(thread.parks() > RINGS / 100, () -> "parked only " + thread.parks() + " times");
    }

    @Test
    void idle_forAWhile_parks() {
        Until.holds("parked", () -> engine.turns > 0 && quiet());
    }

    /** No turn within ten milliseconds. */
    private boolean quiet() {
        int before = engine.turns;
        LockSupport.parkNanos(10_000_000);
        return engine.turns == before;
    }

    @Test
    void parked_deadlinePasses_turnComesInTime() {
        Until.holds("parked", this::quiet);
        long deadlineNs = System.nanoTime() + 30_000_000;
        engine.submit(() -> engine.deadlineNs = deadlineNs);
        thread.wake();
        Until.holds("fired", () -> engine.firedAtNs != 0);
        assertTrue(engine.firedAtNs - deadlineNs >= 0, "not early");
    }

    @Test
    void parkNs_anyDeadline_neverBeyondItNorBeyondASecond() {
        long second = 1_000_000_000;
        assertEquals(second, EngineThread.parkNs(Driven.NEVER, 5));
        assertEquals(second, EngineThread.parkNs(5 + 2 * second, 5));
        assertEquals(1, EngineThread.parkNs(6, 5));
        assertEquals(0, EngineThread.parkNs(5, 5));
        assertEquals(-3, EngineThread.parkNs(2, 5));
        // The clock wraps before the deadline: times are compared by difference.
        assertEquals(30, EngineThread.parkNs(Long.MIN_VALUE + 9, Long.MAX_VALUE - 20));
        assertEquals(-30, EngineThread.parkNs(Long.MAX_VALUE - 20, Long.MIN_VALUE + 9));
    }

    @Test
    void callbackLeavesInterruptStatus_nextTurnHasNone() {
        AtomicBoolean found = new AtomicBoolean(true);
        engine.submit(() -> Thread.currentThread().interrupt());
        thread.wake();
        Until.holds("parked", this::quiet);
        engine.submit(() -> found.set(Thread.currentThread().isInterrupted()));
        thread.wake();
        Until.holds("looked", () -> !found.get());
        Until.holds("parked", this::quiet);
    }

    @Test
    void streamsFail_engineIsDrivenOnWithoutThem() throws IOException {
        AtomicBoolean notified = new AtomicBoolean();
        engine.onFailure = cause -> {
            notified.set(true);
            return true;
        };
        loop.close(); // calls of the selector throw from now on
        thread.wake();
        Until.holds("notified", notified::get);
        for (int i = 0; i < 100; i++) {
            long rung = engine.rung.incrementAndGet();
            thread.wake();
            Until.holds("heard", () -> engine.heard >= rung);
        }
        Until.holds("parked", this::quiet);
        engine.deadlineNs = System.nanoTime() + 1_000_000;
        thread.wake();
        Until.holds("fired", () -> engine.firedAtNs != 0);
        assertNull(thread.failure());
    }

    @Test
    void twoEngines_echo_runsByItself() throws IOException {
        try (SocketLoop other = new SocketLoop(0)) {
            StreamProbe server = new StreamProbe(other, true);
            StreamProbe client = new StreamProbe(loop, false);
            FakeEngine otherEngine = new FakeEngine();
            EngineThread otherThread = new EngineThread("test-other", other, otherEngine);
            otherThread.start();
            StreamLoop.Acceptor acceptor = server.listen(); // while the loop's thread is parked or about to be
            engine.submit(() -> loop.connect(acceptor.localAddress(), client));
            thread.wake();
            Until.holds("connected", () -> client.connected() && server.connected());
            for (int i = 1; i <= 2000; i++) {
                engine.submit(() -> client.send(64));
                thread.wake();
                long expected = 64L * i;
                Until.holds("echoed", () -> client.received == expected);
            }
            assertEquals(server.checksum, client.checksum);
            acceptor.close();
            assertTrue(otherThread.stop(Until.LONG_NS));
        }
    }

    @Test
    void boundToACore_runsThere() throws IOException {
        BitSet core = new BitSet();
        core.set(Pinning.unsupported().isPresent() ? 0 : Pinning.cores().length() - 1);
        AtomicReference<BitSet> found = new AtomicReference<>(new BitSet());
        try (SocketLoop other = new SocketLoop(0)) {
            FakeEngine asks = new FakeEngine();
            EngineThread bound = new EngineThread(
                    "test-bound", other, asks, core.stream().boxed().collect(Collectors.toSet()));
            bound.start();
            asks.submit(() -> found.set(Pinning.unsupported().isPresent() ? core : Pinning.cores()));
            bound.wake();
            Until.holds("asked", () -> !found.get().isEmpty());
            assertEquals(core, found.get());
            assertTrue(bound.stop(Until.LONG_NS));
        }
    }

    @Test
    void inlineRnic_coresForItsEngine_areRefused() {
        RnicOptions options =
                RnicOptions.defaults().withProgress(Progress.INLINE).withEngineCores(List.of(Set.of(0)));
        assertThrows(IllegalArgumentException.class, () -> new HostEnvironment(options));
    }

    @Test
    void running_turnThrows_threadEndsAndTheFailureIsKept() throws IOException {
        try (SocketLoop other = new SocketLoop(0)) {
            FakeEngine failing = new FakeEngine();
            EngineThread doomed = new EngineThread("test-doomed", other, failing);
            doomed.start();
            failing.submit(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((failed, e) -> {});
                throw new IllegalStateException("on purpose");
            });
            doomed.wake();
            Until.holds("failed", () -> doomed.failure() != null);
            assertNotNull(doomed.failure());
            assertTrue(doomed.stop(Until.LONG_NS));
        }
    }

    @Test
    void running_stopped_noTurnFollows() {
        assertTrue(thread.stop(Until.LONG_NS));
        int turns = engine.turns;
        engine.rung.incrementAndGet();
        thread.wake();
        assertEquals(turns, engine.turns);
    }
}
