package io.verbena.tools.holes;

import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.LineChart.Panel;
import io.verbena.tools.picture.LineChart.Point;
import io.verbena.tools.picture.LineChart.Series;
import io.verbena.tools.picture.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** Draws a {@link HoleResult} over time: the bytes that wait, and the open holes. */
public final class HolesPicture {

    private static final int POINTS = 60;

    private HolesPicture() {}

    /** The picture as SVG. */
    public static String of(HolePath path, HoleResult result) {
        Axis time = Axis.linear("virtual time", Unit.NANOSECONDS);
        String subtitle = String.format(
                Locale.ROOT,
                "%s %% of the segments late, %s %% lost, window %s, seed %d",
                Unit.NUMBER.text(path.latePercent()),
                Unit.NUMBER.text(path.lostPercent()),
                Unit.BYTES.text(path.windowBytes()),
                path.seed());
        return new LineChart(
                        "Data after holes: placed on arrival, or buffered until the stream is in order",
                        subtitle,
                        List.of(
                                new Panel(
                                        time,
                                        Axis.linear("bytes buffered", Unit.BYTES),
                                        List.of(
                                                new Series(
                                                        "Placed on arrival",
                                                        most(result.samples(), HoleSample::scrapBytes)),
                                                new Series(
                                                        "Waiting for order",
                                                        most(result.samples(), HoleSample::waitingBytes)))),
                                new Panel(
                                        time,
                                        Axis.linear("open holes", Unit.NUMBER),
                                        List.of(new Series("Open holes", most(result.samples(), HoleSample::holes))))))
                .toSvg();
    }

    /** The largest value of each of some spans. */
    private static List<Point> most(List<HoleSample> samples, ToLongFunction<HoleSample> value) {
        List<Point> points = new ArrayList<>();
        int step = Math.max(1, (samples.size() + POINTS - 1) / POINTS);
        for (int from = 0; from < samples.size(); from += step) {
            List<HoleSample> span = samples.subList(from, Math.min(samples.size(), from + step));
            long most = span.stream().mapToLong(value).max().orElseThrow();
            points.add(new Point(span.getFirst().atNs(), most));
        }
        return points;
    }
}
