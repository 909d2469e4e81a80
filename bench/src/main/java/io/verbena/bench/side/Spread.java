package io.verbena.bench.side;

import java.util.Arrays;

/** Median of several measurements, with the least and the greatest of them. */
public record Spread(double median, double least, double most) {

    public static Spread of(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("a median needs at least one value");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Of the quotients of what was measured in pairs. */
    public static Spread ofRatios(double[] ours, double[] theirs) {
        int pairs = Math.min(ours.length, theirs.length);
        double[] ratios = new double[pairs];
        for (int i = 0; i < pairs; i++) {
            ratios[i] = ours[i] / theirs[i];
        }
        return of(ratios);
    }
}
