package io.verbena.tools.base;

import io.verbena.files.CompletionWait;
import io.verbena.files.failure.WorkFailure;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import java.time.Duration;

/** Takes completions one at a time; what goes wrong is a failure of the command. For one thread. */
public final class CompletionWaiter {

    private final CompletionWait wait;
    private final Duration timeout;
    private final StopSignal stop;

    /**
     * Waits on a completion queue.
     *
     * @param timeout maximum time to wait for one completion
     * @param grace how long a wait continues after the user requested the end
     * @param stop ends every wait
     */
    public CompletionWaiter(CompletionQueue cq, Duration timeout, Duration grace, StopSignal stop) {
        wait = new CompletionWait(cq, grace, stop::raised);
        this.timeout = timeout;
        this.stop = stop;
    }

    /**
     * Waits for the next completion, which must be a success.
     *
     * @param what what is awaited, such as "the server's answer"
     * @throws Failure if the work failed; {@link Stalled} if the time-out expired
     * @throws StopSignal.Stopped if the user requested the end
     */
    public CompletionCursor next(String what) throws Failure {
        return next(what, timeout);
    }

    /** The same with a time-out of its own. */
    public CompletionCursor next(String what, Duration longest) throws Failure {
        return switch (wait.next(longest)) {
            case COMPLETED -> wait.cursor();
            case FAILED -> throw failure(wait.cursor(), what);
            case EXPIRED -> throw new Stalled(longest, what);
            case STOPPED -> throw stop.stopped();
        };
    }

    /**
     * Takes the next completion if there is one; it must be a success.
     *
     * @return whether there was one; {@link #cursor} shows it
     */
    public boolean poll(String what) throws Failure {
        if (!wait.cursor().next()) {
            return false;
        }
        if (!wait.cursor().ok()) {
            throw failure(wait.cursor(), what);
        }
        return true;
    }

    /** Shows the completion that was taken last. */
    public CompletionCursor cursor() {
        return wait.cursor();
    }

    /** Waits up to the given time for a completion. Returns whether there is one; then {@link #next} does not wait. */
    public boolean ready(Duration longest) {
        return wait.ready(longest);
    }

    /** Whether a wait timed out: then the peer will not take part in a graceful end either. */
    public boolean stalled() {
        return wait.stalled();
    }

    /** The reason of failed work. */
    public static ConnectionLost failure(CompletionCursor cursor, String what) {
        return new ConnectionLost(WorkFailure.of(cursor).sentence("The peer", "this side", what));
    }
}
