package io.verbena.notify;

import io.verbena.verbs.HandlerFigures;
import java.util.TreeMap;

/** Counts what a handler does, or what handlers do for a CQ. Written by the processor, once an event; read now and then. */
final class HandlerTally {

    /** Steps of an eighth between powers of two. */
    private static final int STEPS = 8;

    private static final double[] PERCENTS = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99};

    private final long[] waits = new long[Long.SIZE * STEPS];
    private long events;
    private long completions;
    private long failures;
    private long waitMaxNs;
    private long runNs;
    private long runMaxNs;

    /** One run: how long after its signal it began, and how long it took. */
    synchronized void add(long waitNs, long newRunNs, long newCompletions, boolean threw) {
        events++;
        completions += newCompletions;
        if (threw) {
            failures++;
        }
        waits[step(waitNs)]++;
        waitMaxNs = Math.max(waitMaxNs, waitNs);
        runNs += newRunNs;
        runMaxNs = Math.max(runMaxNs, newRunNs);
    }

    synchronized HandlerFigures figures() {
        TreeMap<Double, Long> percentiles = new TreeMap<>();
        if (events > 0) {
            for (double percent : PERCENTS) {
                percentiles.put(percent, percentile(percent));
            }
            percentiles.put(100.0, waitMaxNs);
        }
        return new HandlerFigures(events, completions, failures, percentiles, runNs, runMaxNs);
    }

    private static int step(long ns) {
        if (ns < STEPS) {
            return (int) Math.max(0, ns);
        }
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(ns);
        return (power - 2) * STEPS + (int) (ns >>> (power - 3) & STEPS - 1);
    }

    /** Upper end of a step. */
    private static long upperNs(int step) {
        if (step < STEPS) {
            return step;
        }
        int power = step / STEPS + 2;
        return (1L << power) + ((step % STEPS + 1L) << (power - 3)) - 1;
    }

    private long percentile(double percent) {
        long wanted = Math.max(1, (long) Math.ceil(events * percent / 100));
        long seen = 0;
        for (int step = 0; step < waits.length; step++) {
            seen += waits[step];
            if (seen >= wanted) {
                return Math.min(waitMaxNs, upperNs(step));
            }
        }
        return waitMaxNs;
    }
}
