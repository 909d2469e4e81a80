package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HostEnvironmentTest {

    private static HostEnvironment driven(int engines, List<FakeEngine> made) {
        HostEnvironment environment = new HostEnvironment(RnicOptions.defaults().withEngines(engines));
        for (int i = 0; i < engines; i++) {
            made.add(new FakeEngine());
        }
        environment.drive(made::get);
        return environment;
    }

    @Test
    void severalEngines_eachRung_eachHears() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(3, engines);
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 3; i++) {
                engines.get(i).rung.incrementAndGet();
                environment.wake(i);
            }
            Until.holds("all heard", () -> engines.stream().allMatch(engine -> engine.heard == engine.rung.get()));
        }
        environment.close();
    }

    @Test
    void closed_engineAndHandlers_runNoMore() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(2, engines);
        AtomicInteger handled = new AtomicInteger();
        environment.defaultProcessor().signal(CqHandlerId.NONE, handled::incrementAndGet);
        Until.holds("handled", () -> handled.get() == 1);
        environment.close();
        int turns = engines.getFirst().turns;
        environment.defaultProcessor().signal(CqHandlerId.NONE, handled::incrementAndGet);
        environment.wake(0);
        assertEquals(1, handled.get());
        assertEquals(turns, engines.getFirst().turns);
        environment.close();
    }

    @Test
    void handler_closesItsOwnEnvironment_doesNotWaitForItself() throws InterruptedException {
        HostEnvironment environment = driven(1, new ArrayList<>());
        CountDownLatch closed = new CountDownLatch(1);
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            environment.close();
            closed.countDown();
        });
        assertTrue(closed.await(20, java.util.concurrent.TimeUnit.SECONDS));
    }

    @Test
    void handlerThrows_nextOne_runs() {
        HostEnvironment environment = driven(1, new ArrayList<>());
        AtomicInteger ran = new AtomicInteger();
        AtomicReference<Thread> where = new AtomicReference<>();
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> ran.incrementAndGet());
            throw new IllegalStateException("on purpose");
        });
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            where.set(Thread.currentThread());
            ran.incrementAndGet();
        });
        Until.holds("both ran", () -> ran.get() == 2);
        assertTrue(where.get().isDaemon());
        environment.close();
    }

    @Test
    void engineFails_usersAreTold() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(1, engines);
        engines.getFirst().submit(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
            throw new IllegalStateException("on purpose");
        });
        environment.wake(0);
        VerbsException told = assertThrows(
                VerbsException.class, () -> environment.newWaitPoint().await(() -> false, Until.LONG_NS));
        assertTrue(String.valueOf(told.getMessage()).contains("on purpose"), told.getMessage());
        assertThrows(VerbsException.class, () -> environment.wake(0));
        environment.close();
    }

    @Test
    void random_manyNumbers_differAndThreadsMayDraw() throws InterruptedException {
        BufferedRandom random = new BufferedRandom();
        Set<Long> seen = Collections.synchronizedSet(new HashSet<>());
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 5000; i++) {
                    seen.add(random.nextLong());
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(10_000, seen.size());
        assertNotEquals(new BufferedRandom().nextLong(), new BufferedRandom().nextLong());
    }
}
