package io.verbena.host.system;

import io.verbena.verbs.WaitInterruptedException;
import java.util.concurrent.TimeUnit;

/** Helpers around threads. */
public final class Threads {

    private Threads() {}

    /** Passes an exception of a callback to the thread's handler of uncaught exceptions; the thread continues. */
    public static void uncaught(Throwable e) {
        Thread me = Thread.currentThread();
        try {
            me.getUncaughtExceptionHandler().uncaughtException(me, e);
        } catch (Throwable again) {
            // As the JVM does: what that handler throws is ignored.
        }
    }

    /**
     * Checks for an interrupt of the calling thread during a wait.
     *
     * @param interruptible whether an interrupt ends the wait
     * @return whether there was one; its status is cleared, and the caller must set it again after the wait
     * @throws WaitInterruptedException if it ends the wait; its status remains set
     */
    public static boolean interrupted(boolean interruptible) {
        if (interruptible && Thread.currentThread().isInterrupted()) {
            throw new WaitInterruptedException();
        }
        return Thread.interrupted();
    }

    /**
     * Waits for the end of a thread, regardless of interrupts; an interrupt status is kept for the caller. Does not
     * wait for the calling thread or a thread that was never started.
     *
     * @return false if the timeout expired
     */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public static boolean join(Thread thread, long timeoutNs) {
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
