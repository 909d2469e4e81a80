package io.verbena.verbs;

/** State of a queue pair: the stream transports and InfiniBand have different ones. */
public sealed interface QueuePairState permits IwarpQueuePairState, InfinibandQueuePairState {

    /** Name as in the specification. */
    String name();

    /** Whether send work may be posted. */
    boolean maySend();

    /** Whether work completes flushed. */
    boolean failed();
}
