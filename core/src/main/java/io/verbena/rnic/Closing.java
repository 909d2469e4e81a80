package io.verbena.rnic;

import org.jspecify.annotations.Nullable;

/**
 * Closes an object once, whichever threads do so: the first thread closes it, and others return when it is closed. If
 * that fails, the next call tries again.
 */
final class Closing {

    /** Maximum time to wait for another thread; its own waits are shorter. */
    private static final long OTHER_THREAD_NS = 10_000_000_000L;

    private volatile boolean begun;
    private volatile boolean busy;
    private boolean done;
    private @Nullable Thread closer;

    /** A part of closing. */
    @FunctionalInterface
    interface Step<E extends Exception> {
        void run() throws E;
    }

    /** Whether closing has begun: the object cannot be used any more. Any thread. */
    boolean begun() {
        return begun;
    }

    /**
     * Closes the object, or waits until another thread has closed it.
     *
     * @param detach takes the object out of use; runs once
     * @param release waits until it is not in use and releases it; repeated if it has failed
     * @throws E what a step throws; the object is not released then
     */
    <E extends Exception> void close(RnicContext context, Step<E> detach, Step<E> release) throws E {
        while (!enter()) {
            // A callback of the thread that closes, or a thread that must not wait, returns at once.
            if (finishedOrMine() || !context.await(() -> !busy, OTHER_THREAD_NS)) {
                return;
            }
        }
        boolean released = false;
        try {
            if (!begun) {
                begun = true;
                detach.run();
            }
            release.run();
            released = true;
        } finally {
            leave(released);
            context.changed();
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

    private synchronized boolean finishedOrMine() {
        return done || closer == Thread.currentThread();
    }

    private synchronized void leave(boolean released) {
        done = released;
        closer = null;
        busy = false;
    }
}
