package io.verbena.iwarp;

import io.verbena.verbs.CompletionStatus;
import io.verbena.work.Moved;

/** How framing a piece of work went; what fails says how the work completes and why. */
enum Framed {
    DONE,
    /** The list's slab is full; the rest goes out in the next turn. */
    NO_ROOM,
    /** Memory is not there now. */
    NOT_NOW,
    /** The peer may not have what it asked for any more. */
    REFUSED,
    MEMORY_LOST(CompletionStatus.LOCAL_MEMORY, "the memory to be sent is gone"),
    NOT_REGISTERED(CompletionStatus.LOCAL_PROTECTION, "a buffer to be sent is not registered any more"),
    SINK_NOT_WRITABLE(CompletionStatus.LOCAL_PROTECTION, "the buffer for the answer may not be written"),
    NO_READS_AGREED(CompletionStatus.LOCAL_OPERATION, "no Reads or atomics were agreed for this connection (ORD is 0)");

    private final CompletionStatus status;
    private final String sentence;

    Framed() {
        this(CompletionStatus.SUCCESS, "");
    }

    Framed(CompletionStatus status, String sentence) {
        this.status = status;
        this.sentence = sentence;
    }

    boolean failed() {
        return status != CompletionStatus.SUCCESS;
    }

    CompletionStatus status() {
        return status;
    }

    String sentence() {
        return sentence;
    }

    static Framed of(Moved moved) {
        return switch (moved) {
            case DONE -> DONE;
            case NOT_NOW -> NOT_NOW;
            case LOST -> MEMORY_LOST;
            case REFUSED -> NOT_REGISTERED;
        };
    }
}
