package io.verbena.tools.perf;

import io.verbena.port.faults.PathCuts;
import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.LineChart.Panel;
import io.verbena.tools.picture.LineChart.Point;
import io.verbena.tools.picture.LineChart.Series;
import io.verbena.tools.picture.Unit;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The throughput of a measurement over time, and the paths that are cut meanwhile. The measuring loop reports what is
 * complete. For one thread.
 */
public final class Timeline {

    /** Length of an interval. */
    static final long INTERVAL_NS = 10_000_000;

    private static final int MOST_INTERVALS = 360_000;
    private static final double ENOUGH = 0.8;

    /** Intervals after which the throughput with fewer paths counts as reached. */
    private static final int STEADY = 5;

    private final List<PathCut> cuts;
    private final PathCuts faults;
    private final int paths;
    private long[] bytes = new long[128];
    private long completed;
    private long latestNs;
    private long longestGapNs;
    private long gapAtNs;

    /**
     * A timeline.
     *
     * @param paths number of paths
     * @param cuts what happens to them
     * @param faults of the port that sends
     */
    public Timeline(int paths, List<PathCut> cuts, PathCuts faults) {
        this.paths = paths;
        this.cuts = List.copyOf(cuts);
        this.faults = faults;
    }

    /** The measurement is at this time, and this number of bytes is complete. */
    void at(long timeNs, long completeBytes) {
        for (PathCut each : cuts) {
            if (each.at(timeNs)) {
                faults.cut(each.path());
            } else if (cuts.stream().noneMatch(it -> it.path() == each.path() && it.at(timeNs))) {
                faults.mend(each.path());
            }
        }
        if (completeBytes == completed) {
            return;
        }
        if (timeNs - latestNs > longestGapNs) {
            longestGapNs = timeNs - latestNs;
            gapAtNs = latestNs;
        }
        int interval = (int) Math.min(timeNs / INTERVAL_NS, MOST_INTERVALS - 1);
        if (interval >= bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(interval + 1, 2 * bytes.length));
        }
        bytes[interval] += completeBytes - completed;
        completed = completeBytes;
        latestNs = timeNs;
    }

    private int intervals() {
        return (int) Math.min(latestNs / INTERVAL_NS, bytes.length);
    }

    /** Bytes per second between two times. */
    double rate(long fromNs, long toNs) {
        int from = (int) (fromNs / INTERVAL_NS);
        int to = (int) Math.min(toNs / INTERVAL_NS, intervals());
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += bytes[i];
        }
        return to <= from ? 0 : sum * 1e9 / ((to - from) * (double) INTERVAL_NS);
    }

    /** Time from the first cut to the begin of intervals with 0.8 of what the other paths carried before it, or -1. */
    long recoveryNs() {
        if (cuts.isEmpty()) {
            return -1;
        }
        long cutNs = cuts.getFirst().fromNs();
        double enough = ENOUGH * rate(0, cutNs) * (paths - 1) / paths;
        for (long at = cutNs; at + STEADY * INTERVAL_NS <= latestNs; at += INTERVAL_NS) {
            if (rate(at, at + STEADY * INTERVAL_NS) >= enough) {
                return at - cutNs;
            }
        }
        return -1;
    }

    /** Sentences for people. */
    public List<String> sentences() {
        List<String> lines = new ArrayList<>();
        lines.add("Longest time without a completion: " + Unit.NANOSECONDS.text(longestGapNs) + ", at "
                + Figures.seconds(gapAtNs) + ".");
        for (PathCut each : cuts) {
            long toNs = Math.min(each.toNs(), latestNs);
            lines.add("Path " + each + ": "
                    + Figures.bytesPerSecond(rate(0, cuts.getFirst().fromNs())) + " before the first cut, "
                    + Figures.bytesPerSecond(rate(each.fromNs(), toNs)) + " during this one.");
        }
        return lines;
    }

    /** The figures. */
    public JsonObject json() {
        return new JsonObject()
                .put("intervalNs", INTERVAL_NS)
                .put("longestGapNs", longestGapNs)
                .put("longestGapAtNs", gapAtNs)
                .put("recoveryNs", recoveryNs())
                .putStrings("cuts", cuts.stream().map(PathCut::toString).toList())
                .putNumbers("bytes", Arrays.copyOf(bytes, intervals()));
    }

    /** The picture: throughput over time. */
    public String svg(String circumstances) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < Math.max(1, intervals()); i++) {
            points.add(new Point(i * (double) INTERVAL_NS, bytes[i] * 1e9 / INTERVAL_NS));
        }
        List<Series> series = new ArrayList<>(List.of(new Series(paths + " paths", points)));
        double most = points.stream().mapToDouble(Point::y).max().orElse(0);
        for (PathCut each : cuts) {
            double from = Math.min(each.fromNs(), latestNs);
            series.add(new Series("cut " + each, List.of(new Point(from, 0), new Point(from, most))));
        }
        Panel panel = new Panel(
                Axis.linear("Time", Unit.NANOSECONDS),
                Axis.linear("Bandwidth, intervals of 10 ms", Unit.BYTES_PER_SECOND),
                series);
        return new LineChart("verbena perf --paths " + paths, circumstances, List.of(panel)).toSvg();
    }
}
