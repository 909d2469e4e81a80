package io.verbena.ib;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import java.util.Optional;

/**
 * Why a queue pair goes to the error state: the first cause wins.
 *
 * @param status of the oldest send that is not complete; everything else is flushed
 * @param event what is reported besides; empty when the completions tell enough
 * @param sentence for people
 */
public record Failure(CompletionStatus status, Optional<AsyncEventType> event, String sentence) {

    /** A failure of this side's own requests. */
    static Failure ofRequest(CompletionStatus status, String sentence) {
        return new Failure(status, Optional.empty(), sentence);
    }

    /** A failure that the peer's requests caused. */
    static Failure ofPeer(AsyncEventType event, String sentence) {
        return new Failure(CompletionStatus.FLUSHED, Optional.of(event), sentence);
    }
}
