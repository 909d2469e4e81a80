package io.verbena.hardware.provider.device;

import io.verbena.base.WaitPoint;
import io.verbena.verbs.WaitInterruptedException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A place to wait for what the event loop reports. With INLINE progress, the thread that waits turns the loop itself. */
public final class Waiting implements WaitPoint {

    /** A wait ends after this time at the latest, to evaluate the condition again. */
    private static final long LONGEST_NS = 100_000_000;

    private static final long NS_PER_MS = 1_000_000;

    private final EventLoop loop;
    private final boolean inline;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition signalled = lock.newCondition();
    private long signals;

    public Waiting(EventLoop loop, boolean inline) {
        this.loop = loop;
        this.inline = inline;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs, true);
    }

    @Override
    public boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs, false);
    }

    private boolean await(BooleanSupplier condition, long timeoutNs, boolean interruptible) {
        long beganNs = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                long seen = signals();
                if (condition.getAsBoolean()) {
                    return true;
                }
                long leftNs = timeoutNs - (System.nanoTime() - beganNs);
                if (leftNs <= 0) {
                    return false;
                }
                if (Thread.interrupted()) {
                    interrupted = true;
                    if (interruptible) {
                        throw new WaitInterruptedException();
                    }
                }
                interrupted |= pause(seen, Math.min(leftNs, LONGEST_NS));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for a signal after that one; returns whether the thread was interrupted. */
    private boolean pause(long seen, long timeNs) {
        if (inline) {
            loop.turn((int) Math.max(1, timeNs / NS_PER_MS));
            return false;
        }
        lock.lock();
        try {
            long leftNs = timeNs;
            while (signals == seen && leftNs > 0) {
                leftNs = signalled.awaitNanos(leftNs);
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the loop reads it
            return false;
        } finally {
            lock.unlock();
        }
    }

    private long signals() {
        lock.lock();
        try {
            return signals;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void signal() {
        lock.lock();
        try {
            signals++;
            signalled.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
