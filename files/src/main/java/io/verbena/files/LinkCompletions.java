package io.verbena.files;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import java.time.Duration;
import java.util.Optional;

/** Takes the completions of one connection one at a time, and waits for each at most as long as the time-out. For one thread. */
final class LinkCompletions {

    private static final Duration SLICE = Duration.ofMillis(200);
    private static final Duration REASON_WAIT = Duration.ofSeconds(1);

    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final StopRequest stop;
    private boolean stalled;

    LinkCompletions(CompletionQueue cq, StopRequest stop) {
        this.cq = cq;
        this.cursor = cq.cursor();
        this.stop = stop;
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
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        while (!poll(what)) {
            stop.check();
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                stalled = true;
                throw new Stalled(
                        "The server",
                        timeout,
                        "while the client waited for " + what
                                + "; it may be stalled or gone (--timeout sets how long to wait)");
            }
            cq.await(Duration.ofNanos(Math.min(leftNs, SLICE.toNanos())));
        }
        return cursor;
    }

    /**
     * Takes the next completion if there is one; it must be a success.
     *
     * @return whether there was one; {@link #cursor} shows it
     */
    boolean poll(String what) throws ConnectionLost {
        if (!cursor.next()) {
            return false;
        }
        if (!cursor.ok()) {
            throw new ConnectionLost(reason(what));
        }
        return true;
    }

    /** Shows the completion that was taken last. */
    CompletionCursor cursor() {
        return cursor;
    }

    /** Waits for a completion for at most the given time. */
    void await(Duration longest) {
        cq.await(longest);
    }

    /** Whether a wait timed out: then the peer will not take part in a graceful end either. */
    boolean stalled() {
        return stalled;
    }

    /** Failed work ends the connection. When work was only flushed, the connection knows the reason better than the completion. */
    private String reason(String what) {
        CompletionStatus status = cursor.status();
        String reason = cursor.reason();
        if (status != CompletionStatus.FLUSHED && status != CompletionStatus.CONNECTION_LOST) {
            return "Work failed while the client waited for " + what + ": " + reason;
        }
        Optional<Connection> connection = cursor.queuePair().connection();
        connection.ifPresent(c -> c.awaitClosed(REASON_WAIT));
        if (connection
                .map(Connection::state)
                .filter(ConnectionState.CLOSED::equals)
                .isPresent()) {
            return "The server closed the connection while the client waited for " + what;
        }
        String account = connection
                .map(Connection::reason)
                .filter(text -> !text.isEmpty())
                .orElse(reason);
        return "The connection ended while the client waited for " + what + ": " + account;
    }
}
