package io.verbena.files.failure;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import java.time.Duration;
import java.util.Optional;

/**
 * Why work failed. Failed work ends its connection, which knows the reason better than the completion if the work was only flushed.
 *
 * @param reason the reason, for people; empty if the peer closed the connection
 */
public record WorkFailure(Kind kind, String reason) {

    /** What happened. */
    public enum Kind {
        /** The work itself failed. */
        WORK_FAILED,
        /** The peer closed the connection. */
        PEER_CLOSED,
        /** The connection ended otherwise. */
        CONNECTION_ENDED
    }

    private static final Duration REASON_WAIT = Duration.ofSeconds(1);

    /** The failure that a completion shows. Waits for the end of the connection, which follows. */
    public static WorkFailure of(CompletionCursor completion) {
        CompletionStatus status = completion.status();
        String reason = completion.reason();
        if (status != CompletionStatus.FLUSHED && status != CompletionStatus.CONNECTION_LOST) {
            return new WorkFailure(Kind.WORK_FAILED, reason);
        }
        Optional<Connection> connection = completion.queuePair().connection();
        connection.ifPresent(c -> c.awaitClosed(REASON_WAIT));
        if (connection
                .map(Connection::state)
                .filter(ConnectionState.CLOSED::equals)
                .isPresent()) {
            return new WorkFailure(Kind.PEER_CLOSED, "");
        }
        return new WorkFailure(
                Kind.CONNECTION_ENDED,
                connection
                        .map(Connection::reason)
                        .filter(text -> !text.isEmpty())
                        .orElse(reason));
    }

    /**
     * The failure as a sentence.
     *
     * @param peer the peer, at the beginning of a sentence: "The server"
     * @param self this side, within a sentence: "the client"
     * @param what what this side waited for
     */
    public String sentence(String peer, String self, String what) {
        String meanwhile = " while " + self + " waited for " + what;
        return switch (kind) {
            case WORK_FAILED -> "Work failed" + meanwhile + ": " + reason;
            case PEER_CLOSED -> peer + " closed the connection" + meanwhile;
            case CONNECTION_ENDED -> "The connection ended" + meanwhile + ": " + reason;
        };
    }
}
