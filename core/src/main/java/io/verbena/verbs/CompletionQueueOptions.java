package io.verbena.verbs;

import java.util.Optional;

/**
 * Attributes of a new CQ.
 *
 * @param capacity maximum number of entries, 1 or more
 * @param handler identification of the CQ handler; empty for none
 * @param solicitedAlwaysSignals whether a solicited entry notifies the handler even if no notification was requested
 */
public record CompletionQueueOptions(int capacity, Optional<CqHandlerId> handler, boolean solicitedAlwaysSignals) {

    /** Checks the capacity. */
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
