package io.verbena.bench.side;

import java.util.ArrayDeque;
import java.util.Deque;

/** Says when a contestant is warm: when its last figures differ little, or when it has had its time. */
final class Warmth {

    private static final int LAST = 4;
    private static final double STEADY = 0.08;

    private final Effort effort;
    private final Deque<Double> last = new ArrayDeque<>();
    private long spentNs;

    Warmth(Effort effort) {
        this.effort = effort;
    }

    /** A run of this duration had this rate. */
    void add(long ns, double rate) {
        spentNs += ns;
        last.addLast(rate);
        if (last.size() > LAST) {
            last.removeFirst();
        }
    }

    boolean enough() {
        if (spentNs < effort.leastWarmNs()) {
            return false;
        }
        if (spentNs >= effort.mostWarmNs()) {
            return true;
        }
        double least = last.stream().mapToDouble(rate -> rate).min().orElse(0);
        double most = last.stream().mapToDouble(rate -> rate).max().orElse(Double.MAX_VALUE);
        return last.size() == LAST && most - least <= STEADY * most;
    }
}
