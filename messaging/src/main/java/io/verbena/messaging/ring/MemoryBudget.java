package io.verbena.messaging.ring;

/** Registered bytes of an endpoint and their limit. */
public final class MemoryBudget {

    private final long limitBytes;
    private long reservedBytes;

    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Reserves bytes; a negative number releases them.
     *
     * @return false if the limit would be exceeded; nothing is reserved then
     */
    public boolean reserve(long bytes) {
        if (bytes > 0 && !holds(bytes)) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    /** Returns whether this many bytes could be reserved. */
    public boolean holds(long bytes) {
        return bytes <= limitBytes - reservedBytes;
    }

    public long reservedBytes() {
        return reservedBytes;
    }
}
