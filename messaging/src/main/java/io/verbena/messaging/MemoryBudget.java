package io.verbena.messaging;

/** Registered bytes of an endpoint, and how many there may be. */
final class MemoryBudget {

    private final long limitBytes;
    private long reservedBytes;

    MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes more, or gives back with a negative number; false when there is not that much left. */
    boolean reserve(long bytes) {
        if (bytes > 0 && !holds(bytes)) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    /** Whether that many more would fit. */
    boolean holds(long bytes) {
        return bytes <= limitBytes - reservedBytes;
    }

    long reservedBytes() {
        return reservedBytes;
    }
}
