package io.verbena.rnic;

import io.verbena.base.Times;
import org.jspecify.annotations.Nullable;

/**
 * Something that an engine serves: a connection in one phase of its life. It is in the engine's ring while it has something
 * to do, and among its deadlines while it waits for a time.
 */
abstract class Endpoint {

    /** Where there is no deadline. */
    static final long NEVER = Times.NEVER;

    // The engine's own marks, so that serving allocates nothing.
    @Nullable
    Endpoint nextReady;

    boolean ready;
    boolean awaitsMemory;
    int memberIndex = -1;
    int deadlineIndex = -1;
    long deadlineNs = NEVER;

    /** Does what can be done now, within the byte budgets of a turn. */
    abstract void service(long nowNs);

    /** The deadline is over; {@link #service} follows. */
    abstract void onDeadline(long nowNs);

    /** Ends it at once with a reason of the application. */
    abstract void abort(String sentence, long nowNs);

    /** Closes gracefully; what has not come about yet is ended. */
    abstract void disconnect(long nowNs);

    /** Serving it failed by a bug: what it holds is let go without another try. */
    abstract void onBug(String sentence, long nowNs);

    /** A hash of what decides how it goes on. */
    abstract long stateDigest();
}
