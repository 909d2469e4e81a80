package io.verbena.host.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls that end waits for work: each ends all waits that are in progress, or, if there are none, the next one.
 */
final class Wakeups {

    private final AtomicLong calls = new AtomicLong();

    /** The calls that have ended a wait. */
    private volatile long answered;

    /** Ends waits. The caller wakes the threads afterwards. */
    void call() {
        calls.incrementAndGet();
    }

    /** A wait begins; the result is the argument of {@link #end}. */
    long begin() {
        return calls.get();
    }

    /** Whether a wait must end. The calls that it sees do not end later waits. */
    boolean end(long begun) {
        long seen = calls.get();
        if (seen == begun && seen == answered) {
            return false;
        }
        answered = seen;
        return true;
    }
}
