package io.verbena.storage.subsystem;

/**
 * How many commands took how long, in classes whose bounds are an eighth of a power of two apart: a percentile is at most 12.5 % too
 * large.
 */
public final class LatencyCounts {
    private static final int FRACTION_BITS = 3;
    private static final int CLASSES = (Long.SIZE - FRACTION_BITS) << FRACTION_BITS;

    private final long[] counts;

    private LatencyCounts(long[] counts) {
        this.counts = counts;
    }

    LatencyCounts() {
        this(new long[CLASSES]);
    }

    void add(long spanNs) {
        counts[classOf(Math.max(0, spanNs))]++;
    }

    private static int classOf(long spanNs) {
        int shift = Math.max(0, Long.SIZE - 1 - FRACTION_BITS - Long.numberOfLeadingZeros(spanNs | 1));
        return (shift << FRACTION_BITS) + (int) (spanNs >>> shift);
    }

    /** The least span above a class. */
    private static long boundNs(int index) {
        int shift = Math.max(0, (index >>> FRACTION_BITS) - 1);
        return (index - ((long) shift << FRACTION_BITS) + 1) << shift;
    }

    /** The same counts, which do not change any more. */
    LatencyCounts copy() {
        return new LatencyCounts(counts.clone());
    }

    /** What was counted since an earlier copy. */
    public LatencyCounts since(LatencyCounts earlier) {
        long[] difference = counts.clone();
        for (int i = 0; i < difference.length; i++) {
            difference[i] -= earlier.counts[i];
        }
        return new LatencyCounts(difference);
    }

    /** How many commands. */
    public long count() {
        long sum = 0;
        for (long each : counts) {
            sum += each;
        }
        return sum;
    }

    /** A time that this part of the commands, 0 to 1, did not exceed; 0 if there was no command. */
    public long quantileNs(double part) {
        long rank = (long) Math.ceil(part * count());
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i];
            if (sum > 0 && sum >= rank) {
                return boundNs(i);
            }
        }
        return 0;
    }
}
