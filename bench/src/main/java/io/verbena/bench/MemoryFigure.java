package io.verbena.bench;

import io.verbena.bench.side.Goal;
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
 * @param goal what their median should reach
 */
record MemoryFigure(String what, String ours, String peer, String theirs, double[] values, Goal goal) {

    static double median(double[] values) {
        return Spread.of(values).median();
    }

    boolean reached() {
        return goal.reached(median(values));
    }

    String line() {
        Spread spread = Spread.of(values);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %.2f (%.2f to %.2f) %s | %s |",
                what,
                peer,
                theirs,
                ours,
                spread.median(),
                spread.least(),
                spread.most(),
                reached() ? "✓" : "✗",
                goal.print());
    }

    JsonObject json() {
        return new JsonObject()
                .put("what", what)
                .put("ours", ours)
                .put("peer", peer)
                .put("theirs", theirs)
                .put("goal", (goal.kind() == Goal.Kind.AT_MOST ? "at most " : "at least ") + goal.bound())
                .put("reached", reached())
                .putStrings(
                        "values",
                        Arrays.stream(values).mapToObj(String::valueOf).toList());
    }
}
