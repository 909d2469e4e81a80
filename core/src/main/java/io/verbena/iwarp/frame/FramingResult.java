package io.verbena.iwarp.frame;

import io.verbena.verbs.CompletionStatus;
import io.verbena.work.Moved;

/** The result of framing a piece of work. A failure has the completion status of the work and a sentence. */
public enum FramingResult {
    DONE,
    /** The list's slab is full; the rest is sent in the next turn. */
    NO_SPACE,
    /** Memory is not available now. */
    NOT_NOW,
    /** The peer may not access what it requested any more. */
    REFUSED,
    MEMORY_LOST(CompletionStatus.LOCAL_MEMORY, "the memory to be sent no longer exists"),
    NOT_REGISTERED(CompletionStatus.LOCAL_PROTECTION, "a buffer to be sent is not registered any more"),
    SINK_NOT_WRITABLE(CompletionStatus.LOCAL_PROTECTION, "the buffer for the response is not writable"),
    NO_READS_AGREED(CompletionStatus.LOCAL_OPERATION, "no Reads or atomics were agreed for this connection (ORD is 0)");

    private final CompletionStatus status;
    private final String sentence;

    FramingResult() {
        this(CompletionStatus.SUCCESS, "");
    }

    FramingResult(CompletionStatus status, String sentence) {
        this.status = status;
        this.sentence = sentence;
    }

    public boolean failed() {
        return status != CompletionStatus.SUCCESS;
    }

    public CompletionStatus status() {
        return status;
    }

    public String sentence() {
        return sentence;
    }

    public static FramingResult of(Moved moved) {
        return switch (moved) {
            case DONE -> DONE;
            case NOT_NOW -> NOT_NOW;
            case LOST -> MEMORY_LOST;
            case REFUSED -> NOT_REGISTERED;
        };
    }
}
