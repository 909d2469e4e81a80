package io.verbena.files;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for the completions of a CQ one at a time, for each at most as long as the caller permits, and until the caller requests the
 * end. For one thread.
 */
public final class CompletionWait {

    /** How a wait ended. */
    public enum Result {
        /** The work succeeded; {@link #cursor} shows its completion. */
        COMPLETED,
        /** The work failed; {@link #cursor} shows its completion. */
        FAILED,
        /** No work completed in time. */
        EXPIRED,
        /** The caller requested the end, and no work completed during the grace time. */
        STOPPED
    }

    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final Duration grace;
    private final BooleanSupplier stop;
    private boolean stalled;

    /**
     * @param grace how long a wait continues after the caller requested the end
     * @param stop whether the end is requested; once true, always true
     */
    public CompletionWait(CompletionQueue cq, Duration grace, BooleanSupplier stop) {
        this.cq = cq;
        this.cursor = cq.cursor();
        this.grace = CopySettings.bounded(grace);
        this.stop = stop;
    }

    /** Waits for the next completion and takes it. */
    public Result next(Duration longest) {
        Patience patience = new Patience(CopySettings.bounded(longest).toNanos(), System.nanoTime());
        boolean stopping = false;
        while (!cursor.next()) {
            long leftNs = patience.leftNs(System.nanoTime());
            if (!stopping && stop.getAsBoolean()) {
                stopping = true;
                patience = new Patience(Math.min(leftNs, grace.toNanos()), System.nanoTime());
            } else if (leftNs > 0) {
                cq.await(Duration.ofNanos(Math.min(leftNs, Patience.SLICE.toNanos())));
            } else if (stop.getAsBoolean()) {
                return Result.STOPPED;
            } else {
                stalled = true;
                return Result.EXPIRED;
            }
        }
        return cursor.ok() ? Result.COMPLETED : Result.FAILED;
    }

    /** Waits up to the given time for a completion, without taking it; returns whether there is one. */
    public boolean ready(Duration longest) {
        return cq.await(longest);
    }

    /** Takes completions without a wait, and shows the completion that was taken last. */
    public CompletionCursor cursor() {
        return cursor;
    }

    /** Whether a wait has expired: then the peer will not take part in a graceful end either. */
    public boolean stalled() {
        return stalled;
    }
}
