package io.verbena.tools.handlers;

import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.Unit;
import io.verbena.verbs.HandlerFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How long completions take to their handler, from the usual to the rare, one curve an arrangement. */
public final class HandlersPicture {

    private HandlersPicture() {}

    /** The picture as SVG. */
    public static String svg(List<RunFigures> runs, String circumstances) {
        return new LineChart(
                        "From a completion to its handler",
                        circumstances,
                        List.of(
                                panel("messages: one in N took longer", runs, RunFigures::messages),
                                panel("storage: one in N took longer", runs, RunFigures::storage)))
                .toSvg();
    }

    private static LineChart.Panel panel(
            String label, List<RunFigures> runs, Function<RunFigures, HandlerFigures> consumer) {
        List<LineChart.Series> series = new ArrayList<>();
        for (RunFigures run : runs) {
            List<LineChart.Point> points = new ArrayList<>();
            consumer.apply(run).toHandlerNs().forEach((percent, ns) -> {
                if (percent < 100) {
                    points.add(new LineChart.Point(100 / (100 - percent), Math.max(1, ns)));
                }
            });
            series.add(new LineChart.Series(run.arrangement().words(), points));
        }
        return new LineChart.Panel(
                Axis.logarithmic(label, Unit.NUMBER), Axis.logarithmic("time to handler", Unit.NANOSECONDS), series);
    }
}
