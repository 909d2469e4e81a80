package io.verbena.host;

import java.util.function.LongSupplier;

/** Nanoseconds since 1970 that never go back: the time of day once, the monotonic clock since then. */
final class WallClock implements LongSupplier {

    private final long offsetNs = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

    @Override
    public long getAsLong() {
        return System.nanoTime() + offsetNs;
    }
}
