package io.verbena.base;

import java.util.function.BooleanSupplier;

/** A point at which threads wait for the effect of an engine. */
public interface WaitPoint {

    /**
     * Waits until a condition holds: for data and for peers. The thread that satisfies the condition calls {@link #signal}
     * afterwards.
     *
     * @return false if the timeout expired first
     * @throws io.verbena.verbs.WaitInterruptedException if the thread is interrupted and the condition does not hold; its
     *     interrupt status remains set
     */
    boolean await(BooleanSupplier condition, long timeoutNs);

    /**
     * Waits uninterruptibly: for teardown and control. An interrupt status is kept for the caller. This default is for
     * environments without interrupts.
     */
    default boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs);
    }

    /** Wakes the waiting threads, which check their conditions again. Cheap if no thread waits. */
    void signal();
}
