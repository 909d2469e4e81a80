package io.verbena.netty;

import io.verbena.sockets.stream.EngineDriver;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of an event loop: it drives the engine of the RNIC, or parks while another thread does, see {@link EngineDriver}.
 *
 * <p>The loop announces that it waits and then looks at its condition. Another thread makes the condition true and then looks whether the
 * loop waits. So no wait misses its signal. A wake-up for what the loop has done already comes late, and ends nothing: so the loop announces before
 * each look.
 */
final class LoopWait {

    /** Number of consecutive turns without waiting after which the loop drives the engine itself. */
    private static final int BUSY_TURNS = 32;

    private final EngineDriver driver;
    private final BooleanSupplier over;
    private final AtomicReference<@Nullable Thread> waiting = new AtomicReference<>();
    private int busyTurns;

    /** A wait that ends when {@code over} is true; the thread that makes it true calls {@link #wake} then. */
    LoopWait(EngineDriver driver, BooleanSupplier over) {
        this.driver = driver;
        this.over = over;
    }

    /** Waits for so long at most. An interrupt ends the wait and is cleared, because else no later wait would wait. */
    void await(long timeoutNs) {
        busyTurns = 0;
        driver.enter();
        try {
            long startNs = System.nanoTime();
            long leftNs = timeoutNs;
            while (leftNs > 0) {
                waiting.set(Thread.currentThread()); // each time: a late wake-up has claimed it
                if (over.getAsBoolean() || Thread.interrupted()) {
                    return;
                }
                driver.pause(this, leftNs);
                leftNs = timeoutNs - (System.nanoTime() - startNs);
            }
        } finally {
            waiting.set(null);
            driver.leave();
        }
    }

    /** The loop has work and does not wait. If that continues, it drives the engine, which else needs a processor beside the loop. */
    void poll() {
        if (busyTurns < BUSY_TURNS) {
            busyTurns++;
        } else {
            pollNow();
        }
    }

    /** The loop polls instead of waiting: it drives the engine in each turn. */
    void pollNow() {
        if (driver.inUse()) {
            driver.poll();
        }
    }

    /** Ends the wait in progress. Any thread. */
    void wake() {
        Thread thread = waiting.get();
        if (thread != null && waiting.compareAndSet(thread, null)) {
            driver.wake(thread);
        }
    }
}
