package io.verbena.memory;

/** Result of an atomic operation. One object per engine, reused. */
public final class AtomicResult {

    private long original;

    /** The previous value of the 64-bit word, as a number: its bytes in memory are in native order. */
    public long original() {
        return original;
    }

    void original(long value) {
        original = value;
    }
}
