package io.verbena.bench;

import io.verbena.bench.side.Spread;
import io.verbena.tools.text.JsonObject;
import java.util.Arrays;
import java.util.Locale;

/**
 * A row of the figures of memory.
 *
 * @param what is measured
 * @param ours our value as text
 * @param peer with what it is compared, empty for nothing
 * @param theirs its value as text
 * @param values what is judged, one a round
 * @param atMost whether the goal is an upper bound
 * @param goal the bound
 */
record MemoryFigure(
        String what, String ours, String peer, String theirs, double[] values, boolean atMost, double goal) {

    static double median(double[] values) {
        return Spread.of(values).median();
    }

    boolean reached() {
        return atMost ? median(values) <= goal : median(values) >= goal;
    }

    String line() {
        Spread spread = Spread.of(values);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %.2f (%.2f to %.2f) %s | %s %s |",
                what,
                peer,
                theirs,
                ours,
                spread.median(),
                spread.least(),
                spread.most(),
                reached() ? "✓" : "✗",
                atMost ? "≤" : "≥",
                goal == Math.rint(goal) ? String.valueOf((long) goal) : String.valueOf(goal));
    }

    JsonObject json() {
        return new JsonObject()
                .put("what", what)
                .put("ours", ours)
                .put("peer", peer)
                .put("theirs", theirs)
                .put("goal", (atMost ? "at most " : "at least ") + goal)
                .put("reached", reached())
                .putStrings(
                        "values",
                        Arrays.stream(values).mapToObj(String::valueOf).toList());
    }
}
