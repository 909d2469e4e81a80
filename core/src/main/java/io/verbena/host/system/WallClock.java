package io.verbena.host.system;

import java.util.function.LongSupplier;

/** Nanoseconds since 1970 that never decrease: the time of day, read once, plus the monotonic clock since then. */
public final class WallClock implements LongSupplier {

    private final long offsetNs = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

    @Override
    public long getAsLong() {
        return System.nanoTime() + offsetNs;
    }
}
