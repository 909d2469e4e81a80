package io.verbena.rnic.context;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes an object once, whichever threads do so: the first thread closes it, and others return when it is closed. If
 * that fails, the next call tries again.
 */
public final class Closing {

    private volatile boolean begun;
    private volatile boolean busy;
    private boolean detached;
    private boolean done;
    private @Nullable Thread closer;

    /** A part of closing. */
    @FunctionalInterface
    public interface Step<E extends Exception> {
        void run() throws E;
    }

    /** Whether closing has begun: the object cannot be used any more. Any thread. */
    public boolean begun() {
        return begun;
    }

    /**
     * Closes the object, or waits until another thread has closed it.
     *
     * @param detach takes the object out of use; runs until it has succeeded once
     * @param release waits until it is not in use and releases it; repeated if it has failed
     * @return whether this call has closed it
     * @throws E what a step throws; the object is not released then
     */
    public <E extends Exception> boolean close(RnicContext context, Step<E> detach, Step<E> release) throws E {
        return close(context, () -> true, detach, release);
    }

    /**
     * As {@link #close(RnicContext, Step, Step)}, if another thread that closes the object may wait for the calling one.
     *
     * @param mayWait false for a thread that the other one may wait for: its call returns at once
     */
    public <E extends Exception> boolean close(
            RnicContext context, BooleanSupplier mayWait, Step<E> detach, Step<E> release) throws E {
        while (!enter()) {
            // A callback of the thread that closes, or a thread that must not wait, returns at once.
            if (finishedOrOwn() || !mayWait.getAsBoolean() || !context.awaitClosing(() -> !busy)) {
                return false;
            }
        }
        boolean released = false;
        try {
            if (!detached) {
                begun = true;
                detach.run();
                detached = true;
            }
            release.run();
            released = true;
            return true;
        } finally {
            begun = detached;
            leave(released);
            context.closingEnded();
        }
    }

    private synchronized boolean enter() {
        if (done || closer != null) {
            return false;
        }
        closer = Thread.currentThread();
        busy = true;
        return true;
    }

    private synchronized boolean finishedOrOwn() {
        return done || closer == Thread.currentThread();
    }

    private synchronized void leave(boolean released) {
        done = released;
        closer = null;
        busy = false;
    }
}
