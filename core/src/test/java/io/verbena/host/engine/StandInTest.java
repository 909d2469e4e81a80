package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.HostEnvironment;
import io.verbena.host.Until;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stand-in that drives an INLINE engine while its owner is busy. */
class StandInTest {

    private final List<Runnable> closing = new ArrayList<>();

    @AfterEach
    void close() {
        closing.forEach(Runnable::run);
    }

    private static RnicOptions inline(int periodMs) {
        return RnicOptions.defaults()
                .withProgress(Progress.INLINE)
                .withSettings(Map.of(StandIn.SETTING, String.valueOf(periodMs)));
    }

    /** Detects two threads inside at the same time. */
    private static final class Watched implements Driven {
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger turnsOfOthers = new AtomicInteger();
        final AtomicReference<String> collision = new AtomicReference<>("");
        final Thread owner = Thread.currentThread();
        volatile Runnable next = () -> {};

        @Override
        public int turn(long nowNs) {
            enter();
            if (Thread.currentThread() != owner) {
                turnsOfOthers.incrementAndGet();
                next.run();
            }
            leave();
            return 0;
        }

        void enter() {
            if (inside.incrementAndGet() != 1) {
                collision.set("two threads at once, one of them " + Thread.currentThread());
            }
        }

        void leave() {
            inside.decrementAndGet();
        }

        @Override
        public boolean hasWork() {
            return false;
        }

        @Override
        public long nextDeadlineNs() {
            enter();
            leave();
            return NEVER;
        }
    }

    private HostEnvironment environment(int periodMs, Driven engine) {
        HostEnvironment hostEnvironment = new HostEnvironment(inline(periodMs));
        hostEnvironment.drive(index -> engine);
        closing.add(hostEnvironment::close);
        return hostEnvironment;
    }

    @Test
    void ownerAway_turnsAreTaken() {
        Watched engine = new Watched();
        environment(1, engine);
        Until.holds("the stand-in drives the engine", () -> engine.turnsOfOthers.get() > 5);
    }

    @Test
    void ownerRingsAndDrivesNowAndThen_neverTwoInside() {
        Watched engine = new Watched();
        HostEnvironment environment = environment(1, engine);
        Random random = new Random(1);
        for (int round = 0; engine.turnsOfOthers.get() < 50 && round < 20_000; round++) {
            for (int i = random.nextInt(100); i > 0; i--) {
                if (random.nextBoolean()) {
                    if (environment.hold(0)) { // as a post does
                        engine.enter();
                        engine.leave();
                    }
                    environment.wake(0);
                } else {
                    environment.progress();
                }
            }
            environment.newWaitPoint().await(() -> false, 2_000_000);
            LockSupport.parkNanos(random.nextInt(4_000_000)); // the owner computes
        }
        assertEquals("", engine.collision.get());
        assertTrue(engine.turnsOfOthers.get() > 0);
    }

    @Test
    void callbackInsideTheStandIn_mayRingAndDrive_notWait() {
        Watched engine = new Watched();
        HostEnvironment environment = environment(1, engine);
        AtomicReference<String> outcome = new AtomicReference<>("");
        engine.next = () -> {
            engine.next = () -> {};
            assertTrue(environment.hold(0));
            environment.wake(0);
            assertEquals(0, environment.progress());
            assertEquals(0, environment.progress(1000));
            outcome.set(String.valueOf(assertThrows(
                            IllegalStateException.class,
                            () -> environment.newWaitPoint().await(() -> false, 1))
                    .getMessage()));
        };
        Until.holds("the callback has run", () -> !outcome.get().isEmpty());
        assertTrue(outcome.get().contains("must not wait"), outcome.get());
        assertEquals("", engine.collision.get());
    }

    @Test
    void closedWhileItStandsIn_nothingRunsAfterwards() {
        for (int i = 0; i < 50; i++) {
            Watched engine = new Watched();
            HostEnvironment environment = environment(1, engine);
            Until.holds("the stand-in drives the engine", () -> engine.turnsOfOthers.get() > 0);
            environment.close();
            int turns = engine.turnsOfOthers.get();
            assertEquals(0, engine.inside.get());
            assertEquals(turns, engine.turnsOfOthers.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "", "99999999999", "3600001"})
    void settingThatMeansNothing_isRefusedWithASentence(String value) {
        RnicOptions options = inline(0).withSettings(Map.of(StandIn.SETTING, value));
        String sentence =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> new HostEnvironment(options))
                        .getMessage());
        assertTrue(sentence.contains(StandIn.SETTING) && sentence.contains("'" + value + "'"), sentence);
    }
}
