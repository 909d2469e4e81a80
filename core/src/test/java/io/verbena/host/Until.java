package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BooleanSupplier;

/** Waiting for a condition with a deadline, instead of sleeping. */
public final class Until {

    public static final long LONG_NS = 20_000_000_000L;

    private Until() {}

    /** Does {@code step} again and again until the condition holds. */
    public static void holds(String what, BooleanSupplier condition, Runnable step) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNs < LONG_NS, () -> "in vain waited until " + what);
            step.run();
        }
    }

    /** Waits for what other threads do. */
    public static void holds(String what, BooleanSupplier condition) {
        holds(what, condition, Thread::yield);
    }
}
