package io.verbena.files;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.failure.Stalled;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.failure.Stopped;
import io.verbena.files.failure.WorkFailure;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import java.time.Duration;

/** The completions of the connection to a server; what goes wrong is an exception of the file service. */
final class LinkCompletions {

    private final CompletionWait wait;

    LinkCompletions(CompletionQueue cq, StopRequest stop) {
        wait = new CompletionWait(cq, Duration.ZERO, stop::raised);
    }

    /**
     * Waits for the next completion, which must be a success.
     *
     * @param what what is awaited, such as "the answer of the server"
     * @throws ConnectionLost when the work failed
     * @throws Stalled when the time-out expired
     * @throws Stopped when the caller requested the end
     */
    CompletionCursor next(String what, Duration timeout) throws ConnectionLost, Stalled, Stopped {
        return switch (wait.next(timeout)) {
            case COMPLETED -> wait.cursor();
            case FAILED -> throw lost(what);
            case EXPIRED ->
                throw new Stalled(
                        "The server",
                        timeout,
                        "while the client waited for " + what
                                + "; it may be stalled or gone (--timeout sets how long to wait)");
            case STOPPED -> throw new Stopped();
        };
    }

    /**
     * Takes the next completion if there is one; it must be a success.
     *
     * @return whether there was one; {@link #cursor} shows it
     */
    boolean poll(String what) throws ConnectionLost {
        if (!wait.cursor().next()) {
            return false;
        }
        if (!wait.cursor().ok()) {
            throw lost(what);
        }
        return true;
    }

    private ConnectionLost lost(String what) {
        return new ConnectionLost(WorkFailure.of(wait.cursor()).sentence("The server", "the client", what));
    }

    /** Shows the completion that was taken last. */
    CompletionCursor cursor() {
        return wait.cursor();
    }

    /** Waits for a completion for at most the given time. */
    void await(Duration longest) {
        wait.ready(longest);
    }

    /** Whether a wait timed out: then the peer will not take part in a graceful end either. */
    boolean stalled() {
        return wait.stalled();
    }
}
