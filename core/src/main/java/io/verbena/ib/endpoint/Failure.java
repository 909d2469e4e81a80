package io.verbena.ib.endpoint;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import java.util.Optional;

/**
 * The reason why a queue pair enters the error state. The first reason counts.
 *
 * @param status of the oldest incomplete send; all other work is flushed
 * @param event asynchronous event to raise; empty if the completions report the failure
 * @param sentence description of the failure
 */
public record Failure(CompletionStatus status, Optional<AsyncEventType> event, String sentence) {

    /** A failure of a request of this side. */
    public static Failure ofRequest(CompletionStatus status, String sentence) {
        return new Failure(status, Optional.empty(), sentence);
    }

    /** A failure caused by a request of the peer. */
    public static Failure ofPeer(AsyncEventType event, String sentence) {
        return new Failure(CompletionStatus.FLUSHED, Optional.of(event), sentence);
    }
}
