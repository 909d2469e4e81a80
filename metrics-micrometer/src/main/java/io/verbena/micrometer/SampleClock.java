package io.verbena.micrometer;

import java.util.function.LongSupplier;

/** Decides when a sample is too old. Used by one thread at a time. */
final class SampleClock {

    private final LongSupplier clockNs;
    private final long intervalNs;
    private boolean taken;
    private long takenNs;

    SampleClock(LongSupplier clockNs, long intervalNs) {
        this.clockNs = clockNs;
        this.intervalNs = intervalNs;
    }

    /** Whether a new sample is due; it counts as taken then. */
    boolean due() {
        long nowNs = clockNs.getAsLong();
        if (taken && nowNs - takenNs < intervalNs) {
            return false;
        }
        taken = true;
        takenNs = nowNs;
        return true;
    }
}
