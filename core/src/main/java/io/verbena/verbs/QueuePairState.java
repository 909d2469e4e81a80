package io.verbena.verbs;

/** State of a queue pair. Stream transports and InfiniBand have different states. */
public sealed interface QueuePairState permits IwarpQueuePairState, InfinibandQueuePairState {

    /** Name of the state in the specification. */
    String name();

    /** Whether send work may be posted. */
    boolean maySend();

    /** Whether work completes with status {@link CompletionStatus#FLUSHED}. */
    boolean failed();
}
