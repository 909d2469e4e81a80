package io.verbena.tools.base;

import io.verbena.tools.text.Figures;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import java.time.Duration;
import java.util.Optional;

/** Takes completions one at a time, and waits for each at most as long as the time-out. For one thread. */
public final class CompletionWaiter {

    private static final Duration SLICE = Duration.ofMillis(200);
    private static final Duration REASON_WAIT = Duration.ofSeconds(1);

    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final Duration timeout;
    private final Duration grace;
    private final StopSignal stop;
    private boolean stalled;

    /**
     * Waits on a completion queue.
     *
     * @param timeout maximum time to wait for one completion
     * @param grace how long a wait continues after the user requested the end
     * @param stop ends every wait
     */
    public CompletionWaiter(CompletionQueue cq, Duration timeout, Duration grace, StopSignal stop) {
        this.cq = cq;
        this.cursor = cq.cursor();
        this.timeout = timeout;
        this.grace = grace;
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
        if (!cursor.next()) {
            await(what, longest);
        }
        if (!cursor.ok()) {
            throw failure(cursor, what);
        }
        return cursor;
    }

    /**
     * Takes the next completion if there is one; it must be a success.
     *
     * @return whether there was one; {@link #cursor} shows it
     */
    public boolean poll(String what) throws Failure {
        if (!cursor.next()) {
            return false;
        }
        if (!cursor.ok()) {
            throw failure(cursor, what);
        }
        return true;
    }

    /** Shows the completion that was taken last. */
    public CompletionCursor cursor() {
        return cursor;
    }

    /** Waits up to the given time for a completion. Returns whether there is one; then {@link #next} does not wait. */
    public boolean ready(Duration longest) {
        return cq.await(longest);
    }

    /** Whether a wait timed out: then the peer will not take part in a graceful end either. */
    public boolean stalled() {
        return stalled;
    }

    private void await(String what, Duration longest) throws Failure {
        long deadlineNs = System.nanoTime() + longest.toNanos();
        boolean stopping = false;
        while (!cursor.next()) {
            long leftNs = deadlineNs - System.nanoTime();
            if (stop.raised() && !stopping) {
                stopping = true;
                deadlineNs = System.nanoTime() + Math.min(leftNs, grace.toNanos());
                continue;
            }
            if (leftNs <= 0) {
                stop.check();
                stalled = true;
                throw new Stalled(
                        "The peer did nothing for " + Figures.seconds(longest) + " while this side waited for " + what
                                + "; it may be stalled or gone (--timeout sets how long to wait)");
            }
            cq.await(Duration.ofNanos(Math.min(leftNs, SLICE.toNanos())));
        }
    }

    /** The reason of failed work. Failed work ends the connection, which knows the reason better if the work was only flushed. */
    public static ConnectionLost failure(CompletionCursor cursor, String what) {
        String reason = cursor.reason();
        if (cursor.status() != CompletionStatus.FLUSHED && cursor.status() != CompletionStatus.CONNECTION_LOST) {
            return new ConnectionLost("Work failed while this side waited for " + what + ": " + reason);
        }
        Optional<Connection> connection = cursor.queuePair().connection();
        connection.ifPresent(c -> c.awaitClosed(REASON_WAIT));
        if (connection
                .map(Connection::state)
                .filter(ConnectionState.CLOSED::equals)
                .isPresent()) {
            return new ConnectionLost("The peer closed the connection while this side waited for " + what);
        }
        String account = connection.map(Connection::reason).orElse("");
        return new ConnectionLost("The connection ended while this side waited for " + what + ": "
                + (account.isEmpty() ? reason : account));
    }
}
