package io.verbena.base;

import java.time.Duration;

/**
 * Instants of a nanosecond clock, which may wrap around at any time: only differences of instants have an order. Every
 * comparison of instants is in this class or uses a difference; {@code InstantsTest} checks the whole source.
 */
public final class Times {

    /** The deadline that never passes; later than every other. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Maximum distance of a deadline: 73 years, so that differences of instants do not overflow. */
    private static final long LONGEST_NS = Long.MAX_VALUE / 4;

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LONGEST = Duration.ofNanos(LONGEST_NS);

    private Times() {}

    /**
     * The duration in nanoseconds, limited to 73 years so that deadlines can be compared by difference; 0 if negative. The only
     * place where a duration becomes a number, because the methods of {@link Duration} throw for long durations.
     */
    public static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST_NS : duration.toNanos();
    }

    /** The duration of a wait for people: in milliseconds, or in days if it is longer than a day; 0 if negative. */
    public static String text(Duration duration) {
        if (duration.isNegative()) {
            return "0 ms";
        }
        return duration.compareTo(DAY) < 0 ? duration.toMillis() + " ms" : duration.toDays() + " days";
    }

    /**
     * The instant that follows another after this time, at most 73 years; never {@link #NEVER}: if the clock reads so at
     * that time, the next nanosecond, because a time-out may end late and not early.
     */
    public static long after(long nowNs, long durationNs) {
        long thenNs = nowNs + Math.clamp(durationNs, 0, LONGEST_NS);
        return thenNs == NEVER ? thenNs + 1 : thenNs;
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

    /** Time until a deadline: 0 if it has passed, {@link Long#MAX_VALUE} if there is none. */
    public static long leftNs(long deadlineNs, long nowNs) {
        return deadlineNs == NEVER ? Long.MAX_VALUE : Math.max(0, deadlineNs - nowNs);
    }
}
