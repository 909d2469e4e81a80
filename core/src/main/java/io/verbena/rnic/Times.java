package io.verbena.rnic;

import java.time.Duration;

/** Durations as the engines count them. */
final class Times {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    private Times() {}

    /** Nanoseconds, at most 73 years, so that a deadline can be compared by difference; below 0 is 0. */
    static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    /** The earlier of two deadlines, {@link Endpoint#NEVER} being the latest. */
    static long earlier(long a, long b) {
        if (a == Endpoint.NEVER) {
            return b;
        }
        return b == Endpoint.NEVER || a - b < 0 ? a : b;
    }

    /** Whether a deadline has passed. */
    static boolean due(long deadlineNs, long nowNs) {
        return deadlineNs != Endpoint.NEVER && nowNs - deadlineNs >= 0;
    }
}
