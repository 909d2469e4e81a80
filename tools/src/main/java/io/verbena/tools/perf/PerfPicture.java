package io.verbena.tools.perf;

import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.BarChart;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.LineChart.Panel;
import io.verbena.tools.picture.LineChart.Point;
import io.verbena.tools.picture.LineChart.Series;
import io.verbena.tools.picture.Svg;
import io.verbena.tools.picture.Unit;
import io.verbena.tools.text.Latencies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Everything that was measured, as a picture: the distribution of each latency, and where several sizes were measured, bandwidth
 * and median latency against size.
 */
public final class PerfPicture {

    private static final Axis SIZE = Axis.logarithmic("Message size", Unit.BYTES);
    private static final Axis RARITY = Axis.logarithmic("One message in N took longer", Unit.NUMBER);
    private static final double[] PERCENTILES = {0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999};
    private static final long LEAST_NS = 1;

    private PerfPicture() {}

    /**
     * Results with what carried them.
     *
     * @param carrier word for the transport
     * @param result what was measured
     */
    public record Measured(String carrier, PerfResult result) {}

    /**
     * Draws results.
     *
     * @param results one or more
     * @param circumstances in a few words
     */
    public static String svg(List<Measured> results, String circumstances) {
        boolean carriers = results.stream().map(Measured::carrier).distinct().count() > 1;
        boolean sizes = results.stream()
                .anyMatch(one -> results.stream()
                        .anyMatch(other -> one.result().op() == other.result().op()
                                && one.result().sizeBytes() != other.result().sizeBytes()));
        List<Measured> bandwidth =
                results.stream().filter(one -> !one.result().op().latency()).toList();
        List<Measured> latency =
                results.stream().filter(one -> one.result().op().latency()).toList();
        Function<Measured, String> name = one -> one.result().op().word() + (carriers ? " " + one.carrier() : "");
        List<Panel> panels = new ArrayList<>();
        if (!bandwidth.isEmpty() && sizes) {
            panels.add(new Panel(
                    SIZE,
                    Axis.linear("Bandwidth", Unit.BYTES_PER_SECOND),
                    series(
                            bandwidth,
                            name,
                            one -> List.of(new Point(
                                    one.result().sizeBytes(), one.result().bytesPerSecond())))));
        }
        if (!latency.isEmpty() && sizes) {
            panels.add(new Panel(
                    SIZE,
                    Axis.logarithmic("Latency, median", Unit.NANOSECONDS),
                    series(
                            latency,
                            name,
                            one -> List.of(new Point(
                                    one.result().sizeBytes(),
                                    atLeastOne(latencies(one).medianNs()))))));
        }
        if (!latency.isEmpty()) {
            Map<String, List<Measured>> ofOneName = new LinkedHashMap<>();
            latency.forEach(one -> ofOneName
                    .computeIfAbsent(name.apply(one), key -> new ArrayList<>())
                    .add(one));
            List<Measured> shown = new ArrayList<>();
            // One curve per operation: of its smallest size, since the other sizes have their own median above.
            ofOneName.values().forEach(all -> shown.add(all.getFirst()));
            panels.add(new Panel(
                    RARITY,
                    Axis.logarithmic(sizes ? "Latency of the first size" : "Latency", Unit.NANOSECONDS),
                    series(shown, name, PerfPicture::distribution)));
        }
        if (bandwidth.isEmpty() || sizes) {
            return new LineChart("verbena perf", circumstances, panels).toSvg();
        }
        String bars = bars(bandwidth, panels.isEmpty() ? circumstances : "");
        return panels.isEmpty()
                ? bars
                : Svg.stacked(new LineChart("verbena perf", circumstances, panels).toSvg(), bars);
    }

    /** One size: a bar for each operation and transport. */
    private static String bars(List<Measured> bandwidth, String circumstances) {
        List<String> carriers =
                bandwidth.stream().map(Measured::carrier).distinct().toList();
        Map<String, List<BarChart.Bar>> bars = new LinkedHashMap<>();
        for (Measured one : bandwidth) {
            String name = one.result().op().word() + ", "
                    + Unit.BYTES.text(one.result().sizeBytes());
            bars.computeIfAbsent(name, key -> new ArrayList<>(Collections.nCopies(carriers.size(), BarChart.Bar.NONE)))
                    .set(
                            carriers.indexOf(one.carrier()),
                            BarChart.Bar.of(one.result().bytesPerSecond()));
        }
        List<BarChart.Group> groups = bars.entrySet().stream()
                .map(entry -> new BarChart.Group(entry.getKey(), entry.getValue()))
                .toList();
        Axis axis = Axis.linear("Bandwidth", Unit.BYTES_PER_SECOND);
        return new BarChart("Bandwidth of each operation", circumstances, carriers, groups, axis, Optional.empty())
                .toSvg();
    }

    private static Latencies latencies(Measured one) {
        return one.result().latencies().orElseThrow();
    }

    /** The percentiles that this number of messages has, and the longest one. */
    private static List<Point> distribution(Measured one) {
        Latencies spans = latencies(one);
        long messages = Math.max(1, one.result().moved().messages());
        List<Point> points = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            double rarity = 100 / (100 - percentile);
            if (rarity < messages) {
                points.add(new Point(rarity, atLeastOne(spans.percentileNs(percentile))));
            }
        }
        points.add(new Point(messages, atLeastOne(spans.maxNs())));
        return points;
    }

    private static double atLeastOne(long ns) {
        return Math.max(LEAST_NS, ns);
    }

    private static List<Series> series(
            List<Measured> results, Function<Measured, String> name, Function<Measured, List<Point>> points) {
        Map<String, List<Point>> all = new LinkedHashMap<>();
        for (Measured one : results) {
            all.computeIfAbsent(name.apply(one), key -> new ArrayList<>()).addAll(points.apply(one));
        }
        return all.entrySet().stream()
                .map(entry -> new Series(entry.getKey(), entry.getValue()))
                .toList();
    }
}
