package io.verbena.verbs;

import java.util.Optional;

/**
 * How a CQ is made.
 *
 * @param capacity most entries
 * @param handler handler identification
 * @param solicitedAlwaysSignals the notification seed's flow: a solicited entry signals even when nothing was requested
 */
public record CompletionQueueOptions(int capacity, Optional<CqHandlerId> handler, boolean solicitedAlwaysSignals) {

    /** Checks the range. */
    public CompletionQueueOptions {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be 1 or more, not " + capacity);
        }
    }

    public static CompletionQueueOptions capacity(int capacity) {
        return new CompletionQueueOptions(capacity, Optional.empty(), false);
    }

    public CompletionQueueOptions withHandler(CqHandlerId id) {
        return new CompletionQueueOptions(capacity, Optional.of(id), solicitedAlwaysSignals);
    }

    public CompletionQueueOptions withSolicitedAlwaysSignals(boolean value) {
        return new CompletionQueueOptions(capacity, handler, value);
    }
}
