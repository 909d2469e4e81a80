package io.verbena.work;

import io.verbena.memory.CopyResult;
import io.verbena.memory.Verdict;

/** The result of moving payload between a frame and local buffers. */
public enum Moved {
    DONE,
    /** The memory is not available now; the caller tries the same again later. */
    NOT_NOW,
    /** The memory no longer exists: its arena was closed or its file truncated. */
    LOST,
    /** The local buffer is not registered, is too short, or lacks the required right. */
    REFUSED;

    public static Moved of(CopyResult result) {
        return switch (result) {
            case DONE -> DONE;
            case NOT_NOW -> NOT_NOW;
            case LOST -> LOST;
        };
    }

    public static Moved of(Verdict verdict) {
        return switch (verdict) {
            case OK -> DONE;
            case NOT_NOW -> NOT_NOW;
            case LOST -> LOST;
            case INVALID_KEY, WRONG_DOMAIN, NO_RIGHT, WRAPS, BOUNDS, NOT_MAPPED -> REFUSED;
        };
    }
}
