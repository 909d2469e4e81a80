package io.verbena.tools.perf;

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
 * The throughput of a measurement over time, and what is cut meanwhile. The measuring loop reports what is complete.
 * For one thread.
 */
public final class Timeline {

    /** Length of an interval. */
    static final long INTERVAL_NS = 10_000_000;

    private static final int MOST_INTERVALS = 360_000;

    /** Points of a picture. */
    private static final int MOST_POINTS = 100;

    private static final double ENOUGH = 0.8;

    /** Intervals after which the throughput counts as reached again. */
    private static final int STEADY = 5;

    private final Disturbance disturbance;
    private final List<Disturbance.Cut> cuts;

    /** By cut: the longest time without a completion that ended after its begin, and before that of the next one. */
    private final long[] gapsNs;

    private long[] bytes = new long[128];
    private long completed;
    private long latestNs;
    private long longestGapNs;
    private long gapAtNs;

    /** A timeline of a measurement to which this happens. */
    public Timeline(Disturbance disturbance) {
        this.disturbance = disturbance;
        cuts = disturbance.cuts();
        gapsNs = new long[cuts.size()];
    }

    /** The measurement is at this time, and this number of bytes is complete. */
    void at(long timeNs, long completeBytes) {
        disturbance.at(timeNs);
        if (completeBytes == completed) {
            return;
        }
        if (timeNs - latestNs > longestGapNs) {
            longestGapNs = timeNs - latestNs;
            gapAtNs = latestNs;
        }
        for (int i = cuts.size() - 1; i >= 0; i--) {
            if (cuts.get(i).fromNs() <= timeNs) {
                gapsNs[i] = Math.max(gapsNs[i], timeNs - latestNs);
                break;
            }
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

    /** Time from the first cut to the begin of intervals with 0.8 of what the throughput can be after it, or -1. */
    long recoveryNs() {
        if (cuts.isEmpty()) {
            return -1;
        }
        long cutNs = cuts.getFirst().fromNs();
        double enough = ENOUGH * rate(0, cutNs) * disturbance.rest();
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
        for (int i = 0; i < cuts.size(); i++) {
            Disturbance.Cut each = cuts.get(i);
            long toNs = Math.min(each.toNs(), latestNs);
            lines.add(each.name() + ": longest gap " + Unit.NANOSECONDS.text(gapsNs[i]) + ", "
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
                .putStrings("cuts", cuts.stream().map(Disturbance.Cut::text).toList())
                .putNumbers("gapsNs", gapsNs)
                .putNumbers("bytes", Arrays.copyOf(bytes, intervals()));
    }

    /** The picture: throughput over time, in at most {@link #MOST_POINTS} points. */
    public String svg(String circumstances) {
        int each = Math.ceilDiv(Math.max(1, intervals()), MOST_POINTS);
        long periodNs = each * INTERVAL_NS;
        List<Point> points = new ArrayList<>();
        for (int first = 0; first == 0 || first + each <= intervals(); first += each) {
            long sum = Arrays.stream(bytes, first, first + each).sum();
            points.add(new Point(first * (double) INTERVAL_NS + periodNs / 2.0, sum * 1e9 / periodNs));
        }
        List<Series> series = new ArrayList<>(List.of(new Series(disturbance.subject(), points)));
        double most = points.stream().mapToDouble(Point::y).max().orElse(0);
        for (Disturbance.Cut cut : cuts) {
            double from = Math.min(cut.fromNs(), latestNs);
            series.add(new Series("cut " + cut.text(), List.of(new Point(from, 0), new Point(from, most))));
        }
        Panel panel = new Panel(
                Axis.linear("Time", Unit.NANOSECONDS),
                Axis.linear("Bandwidth, intervals of " + Unit.NANOSECONDS.text(periodNs), Unit.BYTES_PER_SECOND),
                series);
        return new LineChart("verbena perf " + disturbance.option(), circumstances, List.of(panel)).toSvg();
    }
}
