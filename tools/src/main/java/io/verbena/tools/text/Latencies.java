package io.verbena.tools.text;

import org.HdrHistogram.Histogram;

/** Collects time spans, three digits exact, and tells their distribution. */
public final class Latencies {

    private final Histogram histogram = new Histogram(3);

    /** Adds one span. */
    public void record(long nanoseconds) {
        histogram.recordValue(Math.max(0, nanoseconds));
    }

    /** Takes over all spans of another. */
    public void add(Latencies other) {
        histogram.add(other.histogram);
    }

    /** How many were recorded. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** Shortest, in nanoseconds; 0 when there is none. */
    public long minNs() {
        return count() == 0 ? 0 : histogram.getMinValue();
    }

    /** Half of them took no longer, in nanoseconds. */
    public long medianNs() {
        return percentileNs(50);
    }

    /** 99 of a hundred took no longer, in nanoseconds. */
    public long p99Ns() {
        return percentileNs(99);
    }

    /** Longest, in nanoseconds. */
    public long maxNs() {
        return count() == 0 ? 0 : histogram.getMaxValue();
    }

    /** The latency that this percentage of them did not exceed, in nanoseconds. */
    public long percentileNs(double percentile) {
        return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile);
    }

    /** The percentage of them that took no longer than a time; 0 when there is none. */
    public double percentWithin(long nanoseconds) {
        return count() == 0 ? 0 : histogram.getPercentileAtOrBelowValue(nanoseconds);
    }

    /** Forgets all spans. */
    public void clear() {
        histogram.reset();
    }

    /** One line, everything in microseconds: shortest, median, 99th percentile, longest. */
    public String sentence() {
        return "min " + Figures.microseconds(minNs()) + ", median " + Figures.microseconds(medianNs()) + ", 99 % "
                + Figures.microseconds(p99Ns()) + ", longest " + Figures.microseconds(maxNs()) + " µs";
    }

    /** The distribution in nanoseconds. */
    public JsonObject json() {
        return new JsonObject()
                .put("min", minNs())
                .put("median", medianNs())
                .put("p99", p99Ns())
                .put("max", maxNs());
    }
}
