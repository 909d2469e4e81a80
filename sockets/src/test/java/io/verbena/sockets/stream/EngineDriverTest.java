package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which of the threads that wait and poll drives the engine. */
@Timeout(60)
class EngineDriverTest {

    private static final long US = 1_000;

    private final List<String> calls = new ArrayList<>();
    private final Rnic rnic =
            (Rnic) Proxy.newProxyInstance(Rnic.class.getClassLoader(), new Class<?>[] {Rnic.class}, (_, method, _) -> {
                calls.add(method.getName());
                return method.getReturnType() == int.class ? 0 : null;
            });
    private long nowNs;
    private final EngineDriver driver = new EngineDriver(rnic, () -> true, () -> nowNs);

    private boolean entersElsewhere() throws InterruptedException {
        List<Boolean> result = new ArrayList<>();
        Thread.ofPlatform().start(() -> result.add(driver.enter())).join();
        return result.getFirst();
    }

    @Test
    void threadPolls_thoseThatWaitDoNotTakeTheEngine() throws InterruptedException {
        driver.poll();
        nowNs += 10 * US;
        assertFalse(entersElsewhere());
        driver.poll();
        assertEquals(List.of("progress", "progress"), calls);
    }

    @Test
    void threadHasPolled_threadThatWaitsDrivesAfterAWhile() throws InterruptedException {
        driver.poll();
        nowNs += EngineDriver.IDLE_NS;
        assertTrue(entersElsewhere());
    }

    @Test
    void threadWaits_pollTakesItsPlaceSoon() throws InterruptedException {
        assertTrue(entersElsewhere());
        driver.poll();
        assertEquals(List.of(), calls, "a wait has just begun");
        nowNs += 50 * US;
        driver.poll();
        assertEquals(List.of("wakeup", "progress"), calls);
        nowNs += 10 * US;
        driver.poll();
        assertEquals(List.of("wakeup", "progress", "progress"), calls);
    }

    @Test
    void threadsOnlyWait_secondOneDrivesAfterAWhile() throws InterruptedException {
        assertTrue(entersElsewhere());
        assertFalse(entersElsewhere());
        nowNs += EngineDriver.IDLE_NS;
        assertTrue(entersElsewhere());
        assertEquals(List.of("wakeup"), calls);
    }
}
