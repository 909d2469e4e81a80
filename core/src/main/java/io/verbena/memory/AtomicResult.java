package io.verbena.memory;

/** What an atomic operation found. One an engine, used again and again. */
public final class AtomicResult {

    private long original;

    /** The 64-bit word as it was before the operation, as a number: its bytes in memory are in native order. */
    public long original() {
        return original;
    }

    void original(long value) {
        original = value;
    }
}
