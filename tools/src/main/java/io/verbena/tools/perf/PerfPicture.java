package io.verbena.tools.perf;

import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.LineChart.Panel;
import io.verbena.tools.picture.LineChart.Point;
import io.verbena.tools.picture.LineChart.Series;
import io.verbena.tools.picture.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Bandwidth and latency against size, as a picture. */
public final class PerfPicture {

    private static final Axis SIZE = Axis.logarithmic("Message size", Unit.BYTES);
    private static final double LEAST_NS = 1;

    private PerfPicture() {}

    /**
     * Draws results.
     *
     * @param results one or more
     * @param circumstances in a few words
     */
    public static String svg(List<PerfResult> results, String circumstances) {
        List<Series> bandwidths = series(results, false, PerfResult::bytesPerSecond);
        List<Series> latencies = series(
                results,
                true,
                result -> Math.max(LEAST_NS, result.latencies().orElseThrow().medianNs()));
        List<Panel> panels = new ArrayList<>();
        if (!bandwidths.isEmpty()) {
            panels.add(new Panel(SIZE, Axis.linear("Bandwidth", Unit.BYTES_PER_SECOND), bandwidths));
        }
        if (!latencies.isEmpty()) {
            panels.add(new Panel(SIZE, Axis.logarithmic("Latency, median", Unit.NANOSECONDS), latencies));
        }
        return new LineChart("verbena perf", circumstances, panels).toSvg();
    }

    private static List<Series> series(List<PerfResult> results, boolean latency, ToDoubleFunction<PerfResult> value) {
        List<Series> all = new ArrayList<>();
        for (PerfOp op : PerfOp.values()) {
            List<Point> points = results.stream()
                    .filter(result -> result.op() == op && op.latency() == latency)
                    .map(result -> new Point(result.sizeBytes(), value.applyAsDouble(result)))
                    .toList();
            if (!points.isEmpty()) {
                all.add(new Series(op.word(), points));
            }
        }
        return all;
    }
}
