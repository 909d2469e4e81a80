package io.verbena.base;

import java.time.Duration;

/**
 * Instants of a nanosecond clock, whose number may wrap around at any time: only differences of instants have an order.
 * Every comparison of instants is here or takes a difference; {@code InstantsTest} checks the whole source.
 */
public final class Times {

    /** The deadline that never passes; later than every other. */
    public static final long NEVER = Long.MAX_VALUE;

    /** No deadline is farther away: 73 years, so that differences of instants do not overflow. */
    private static final long LONGEST_NS = Long.MAX_VALUE / 4;

    private static final Duration LONGEST = Duration.ofNanos(LONGEST_NS);

    private Times() {}

    /** Nanoseconds, at most 73 years, so that a deadline can be compared by difference; below 0 is 0. */
    public static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST_NS : duration.toNanos();
    }

    /** The instant this long after another, at most 73 years; never {@link #NEVER}. */
    public static long after(long nowNs, long durationNs) {
        long thenNs = nowNs + Math.clamp(durationNs, 0, LONGEST_NS);
        return thenNs == NEVER ? thenNs - 1 : thenNs;
    }

    /** The earlier of two deadlines. */
    public static long earlier(long a, long b) {
        if (a == NEVER) {
            return b;
        }
        return b == NEVER || a - b < 0 ? a : b;
    }

    /** Whether a deadline has passed. */
    public static boolean due(long deadlineNs, long nowNs) {
        return deadlineNs != NEVER && nowNs - deadlineNs >= 0;
    }

    /** Time until a deadline: 0 once it has passed, {@link Long#MAX_VALUE} where there is none. */
    public static long leftNs(long deadlineNs, long nowNs) {
        return deadlineNs == NEVER ? Long.MAX_VALUE : Math.max(0, deadlineNs - nowNs);
    }
}
