package io.verbena.base;

import java.util.function.BooleanSupplier;

/** A place where threads wait for something that an engine does. */
public interface WaitPoint {

    /**
     * Waits until a condition holds: for data and for peers. Whoever makes it hold calls {@link #signal} afterwards.
     *
     * @return false when the time ran out first
     * @throws io.verbena.verbs.WaitInterruptedException when the thread is interrupted and the condition does not hold; its
     *     interrupt status stays set
     */
    boolean await(BooleanSupplier condition, long timeoutNs);

    /**
     * The same, but not interruptible: for teardown and control. An interrupt status is kept for the caller. Here for
     * environments without interrupts.
     */
    default boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs);
    }

    /** Wakes who waits, so that conditions are looked at again. Cheap when nobody waits. */
    void signal();
}
