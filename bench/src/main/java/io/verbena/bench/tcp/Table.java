package io.verbena.bench.tcp;

import io.verbena.bench.side.Spread;
import io.verbena.tools.text.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The samples of a run by name, and rows that compare two of them pair by pair. */
final class Table {

    /** What a row should reach. */
    enum Bound {
        AT_LEAST,
        AT_MOST
    }

    /**
     * A row.
     *
     * @param ours name of our samples
     * @param theirs name of the samples beside them; empty if the goal is a figure
     */
    private record Row(String title, String unit, String ours, String theirs, Bound bound, double goal) {}

    private final Map<String, List<Double>> samples = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();

    void sample(String name, double value) {
        samples.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }

    void row(String title, String unit, String ours, String theirs, Bound bound, double goal) {
        rows.add(new Row(title, unit, ours, theirs, bound, goal));
    }

    private double[] of(String name) {
        return samples.getOrDefault(name, List.of()).stream()
                .mapToDouble(value -> value)
                .toArray();
    }

    private double[] compared(Row row) {
        double[] ours = of(row.ours);
        double[] theirs = of(row.theirs);
        double[] all = ours.clone();
        for (int i = 0; i < all.length && theirs.length > 0; i++) {
            all[i] = ours[i] / theirs[Math.min(i, theirs.length - 1)];
        }
        return all;
    }

    private static boolean reached(Row row, double value) {
        return row.bound == Bound.AT_LEAST ? value >= row.goal : value <= row.goal;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%-58s %22s %22s %22s  %s", "", "ours", "beside it", "quotient of the pairs", "goal"));
        for (Row row : rows) {
            if (of(row.ours).length == 0) {
                continue;
            }
            Spread compared = Spread.of(compared(row));
            boolean alone = row.theirs.isEmpty();
            lines.add(String.format(
                    Locale.ROOT,
                    "%-58s %22s %22s %22s  %s",
                    row.title + ", " + row.unit,
                    text(Spread.of(of(row.ours))),
                    alone ? "" : text(Spread.of(of(row.theirs))),
                    alone ? "" : text(compared),
                    goal(row, compared.median())));
        }
        return lines;
    }

    private static String goal(Row row, double value) {
        if (Double.isNaN(row.goal)) {
            return "";
        }
        return (row.bound == Bound.AT_LEAST ? ">= " : "<= ")
                + number(row.goal)
                + (reached(row, value) ? " reached" : " missed");
    }

    private static String text(Spread s) {
        return number(s.median()) + " (" + number(s.least()) + "-" + number(s.most()) + ")";
    }

    private static String number(double value) {
        return Math.abs(value) >= 1000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, Math.abs(value) >= 10 ? "%.1f" : "%.3f", value);
    }

    /** All samples and rows. */
    JsonObject json() {
        JsonObject all = new JsonObject();
        JsonObject series = new JsonObject();
        samples.forEach((name, values) -> series.put(
                name, String.join(" ", values.stream().map(String::valueOf).toList())));
        List<JsonObject> objects = new ArrayList<>();
        for (Row row : rows) {
            if (of(row.ours).length > 0) {
                objects.add(new JsonObject()
                        .put("row", row.title)
                        .put("unit", row.unit)
                        .put("ours", Spread.of(of(row.ours)).median())
                        .put("compared", Spread.of(compared(row)).median())
                        .put("goal", Double.isNaN(row.goal) ? "" : row.bound + " " + row.goal));
            }
        }
        return all.put("samples", series).putObjects("rows", objects);
    }
}
