package io.verbena.notify;

import io.verbena.verbs.HandlerFigures;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.TreeMap;

/** Counts what a handler does, or what handlers do for a CQ. Written by the processor, once an event; read now and then. */
final class HandlerTally {

    /** Steps of an eighth between powers of two. */
    private static final int STEPS = 8;

    private static final double[] PERCENTS = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99};

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int EVENTS = 0;
    private static final int COMPLETIONS = 1;
    private static final int FAILURES = 2;
    private static final int RUN_NS = 3;
    private static final int RUN_MAX_NS = 4;
    private static final int COUNTS = 5;

    private final long[] waits = new long[Long.SIZE * STEPS];
    private long waitMaxNs;

    /** Counts that are also read without the lock. */
    private final long[] counts = new long[COUNTS];

    /** One run: how long after its signal it began, and how long it took. */
    synchronized void add(long waitNs, long newRunNs, long newCompletions, boolean threw) {
        set(EVENTS, counts[EVENTS] + 1);
        set(COMPLETIONS, counts[COMPLETIONS] + newCompletions);
        set(FAILURES, counts[FAILURES] + (threw ? 1 : 0));
        waits[step(waitNs)]++;
        waitMaxNs = Math.max(waitMaxNs, waitNs);
        set(RUN_NS, counts[RUN_NS] + newRunNs);
        set(RUN_MAX_NS, Math.max(counts[RUN_MAX_NS], newRunNs));
    }

    private void set(int count, long value) {
        COUNT.setOpaque(counts, count, value);
    }

    private long count(int count) {
        return (long) COUNT.getOpaque(counts, count);
    }

    /** The figures without percentiles. Takes no lock, so that sampling never delays a processor. */
    HandlerFigures totals() {
        return totals(new TreeMap<>());
    }

    private HandlerFigures totals(TreeMap<Double, Long> percentiles) {
        return new HandlerFigures(
                count(EVENTS), count(COMPLETIONS), count(FAILURES), percentiles, count(RUN_NS), count(RUN_MAX_NS));
    }

    synchronized HandlerFigures figures() {
        TreeMap<Double, Long> percentiles = new TreeMap<>();
        if (counts[EVENTS] > 0) {
            for (double percent : PERCENTS) {
                percentiles.put(percent, percentile(percent));
            }
            percentiles.put(100.0, waitMaxNs);
        }
        return totals(percentiles);
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
        long wanted = Math.max(1, (long) Math.ceil(counts[EVENTS] * percent / 100));
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
