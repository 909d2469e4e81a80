package io.verbena.fabric.traffic;

/** Counts durations with a precision of 1/32 of their value. */
public final class Latencies {
    private static final int SUB = 5;

    private final long[] counts = new long[(Long.SIZE - SUB + 1) << SUB];
    private long count;
    private double sum;
    private long most;
    private long least = Long.MAX_VALUE;

    /** Counts a duration. */
    public void add(long ticks) {
        counts[index(ticks)]++;
        count++;
        sum += ticks;
        most = Math.max(most, ticks);
        least = Math.min(least, ticks);
    }

    private static int index(long ticks) {
        int shift = Math.max(0, Long.SIZE - SUB - 1 - Long.numberOfLeadingZeros(ticks | 1));
        return (shift << SUB) + (int) (ticks >>> shift);
    }

    /** Number of durations. */
    public long count() {
        return count;
    }

    /** The mean; 0 if there is none. */
    public double mean() {
        return count == 0 ? 0 : sum / count;
    }

    /** The longest one. */
    public long most() {
        return most;
    }

    /** The shortest one; 0 if there is none. */
    public long least() {
        return count == 0 ? 0 : least;
    }

    /** The duration that a part of all, 0 to 1, does not exceed. */
    public long quantile(double part) {
        long rank = Math.max(1, (long) Math.ceil(part * count));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                int shift = Math.max(0, (i >> SUB) - 1);
                long low = i < 2 << SUB ? i : (long) (i - (shift << SUB)) << shift;
                return Math.min(most, low + (1L << shift) - 1);
            }
        }
        return most;
    }
}
