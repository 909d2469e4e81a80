package io.verbena.bench.side;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One row of figures: times of the same work by several contestants, which ran in turn. The ratio of a contestant is the median of its
 * ratios to the peer in each round.
 *
 * @param name of the row
 * @param bytes of a message
 * @param speed whether the ratio is of speeds and not of times
 * @param peer the contestant that the others are compared with
 * @param us microseconds of a message in each round, by contestant
 */
public record Contest(String name, int bytes, boolean speed, String peer, Map<String, double[]> us) {

    /** A row with the same times in the order of the contestants. */
    public Contest {
        us = new LinkedHashMap<>(us);
    }

    private Map<String, Double> ratios() {
        Map<String, Double> ratios = new LinkedHashMap<>();
        double[] theirs = us.getOrDefault(peer, new double[0]);
        us.forEach((contestant, ours) -> {
            if (!contestant.equals(peer)) {
                Spread ratio = speed ? Spread.ofRatios(theirs, ours) : Spread.ofRatios(ours, theirs);
                ratios.put(contestant, ratio.median());
            }
        });
        return ratios;
    }

    private double medianUs(String contestant) {
        return Spread.of(us.getOrDefault(contestant, new double[0])).median();
    }

    private String figure(String contestant) {
        double medianUs = medianUs(contestant);
        return speed
                ? String.format(Locale.ROOT, "%7.0f MB/s", bytes / medianUs)
                : String.format(Locale.ROOT, "%7.2f us", medianUs);
    }

    /** The row for people. */
    public String text(Map<String, Goal> goals) {
        StringBuilder text = new StringBuilder(String.format("%-24s %s %s", name, peer, figure(peer)));
        ratios().forEach((contestant, ratio) -> {
            Goal goal = goals.getOrDefault(contestant, Goal.NONE);
            text.append(String.format(Locale.ROOT, "   %s %s, %.2f", contestant, figure(contestant), ratio));
            if (goal != Goal.NONE) {
                text.append(goal.reached(ratio) ? " (" : " (not ")
                        .append(goal.print())
                        .append(')');
            }
        });
        return text.toString();
    }

    /** The row for programs. */
    public String json(Map<String, Goal> goals) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"bytes\":%d,\"ratioOf\":\"%s\",\"%s\":{\"us\":%.3f}",
                name,
                bytes,
                speed ? "speed" : "time",
                peer,
                medianUs(peer)));
        ratios().forEach((contestant, ratio) -> {
            Goal goal = goals.getOrDefault(contestant, Goal.NONE);
            text.append(String.format(
                    Locale.ROOT, ",\"%s\":{\"us\":%.3f,\"ratio\":%.3f", contestant, medianUs(contestant), ratio));
            if (goal != Goal.NONE) {
                text.append(
                        String.format(Locale.ROOT, ",\"goal\":%.2f,\"reached\":%b", goal.bound(), goal.reached(ratio)));
            }
            text.append('}');
        });
        return text.append('}').toString();
    }
}
