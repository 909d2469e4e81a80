package io.verbena.host;

import io.verbena.verbs.WaitInterruptedException;
import java.util.concurrent.TimeUnit;

/** Helpers around threads. */
final class Threads {

    private Threads() {}

    /** What a callback threw goes to the thread's handler of uncaught exceptions; the thread goes on. */
    static void uncaught(Throwable e) {
        Thread me = Thread.currentThread();
        try {
            me.getUncaughtExceptionHandler().uncaughtException(me, e);
        } catch (Throwable again) {
            // As the JVM does: what that handler throws is ignored.
        }
    }

    /**
     * An interrupt of the calling thread, during a wait.
     *
     * @param interruptible whether it ends the wait
     * @return whether there was one; its status is cleared, and the caller sets it again after the wait
     * @throws WaitInterruptedException when it ends the wait; its status stays set
     */
    static boolean interrupted(boolean interruptible) {
        if (interruptible && Thread.currentThread().isInterrupted()) {
            throw new WaitInterruptedException();
        }
        return Thread.interrupted();
    }

    /**
     * Waits for a thread's end, whatever interrupts; an interrupt is kept for the caller. Does not wait for the calling
     * thread, nor for one that was never started.
     *
     * @return false when the time ran out
     */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    static boolean join(Thread thread, long timeoutNs) {
        if (thread == Thread.currentThread()) {
            return true;
        }
        boolean interrupted = false;
        long deadlineNs = System.nanoTime() + timeoutNs;
        try {
            while (thread.isAlive()) {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(leftNs, 1_000_000));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
