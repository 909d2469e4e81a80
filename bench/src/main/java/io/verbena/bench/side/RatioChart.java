package io.verbena.bench.side;

import io.verbena.bench.side.Outcome.Measured;
import io.verbena.tools.picture.Svg;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * One bar a row, from 1 to how many times better ours is (the inverse of the ratio where less is better), on a logarithmic
 * axis; a whisker for the spread and a mark for the goal.
 */
final class RatioChart {

    private static final double WIDTH = 860;
    private static final double LEFT = 400;
    private static final double RIGHT = 760;
    private static final double TOP = 96;
    private static final double STEP = 24;
    private static final double BAR = 13;
    private static final double[] TICKS = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};

    private final String subtitle;
    private final List<Outcome> outcomes;
    private final double least;
    private final double most;

    RatioChart(String subtitle, List<Outcome> outcomes) {
        this.subtitle = subtitle;
        this.outcomes = outcomes.stream().filter(RatioChart::drawable).toList();
        double[] ends = this.outcomes.stream()
                .flatMapToDouble(one -> ends(one))
                .sorted()
                .toArray();
        least = Math.min(0.5, ends[0] / 1.1);
        most = Math.max(2, ends[ends.length - 1] * 1.1);
    }

    /** Only ratios have a place on the axis. */
    static boolean drawable(Outcome outcome) {
        return outcome.best().map(best -> !best.alone()).orElse(false);
    }

    private static DoubleStream ends(Outcome outcome) {
        Spread ratio = outcome.best().orElseThrow().ratio();
        return DoubleStream.of(better(outcome, ratio.least()), better(outcome, ratio.most()));
    }

    /** How many times better ours is. */
    private static double better(Outcome outcome, double ratio) {
        return outcome.row().unit().moreIsBetter ? ratio : 1 / ratio;
    }

    String toSvg() {
        double bottom = TOP + STEP * outcomes.size();
        Svg svg = new Svg(WIDTH, bottom + 44, "Verbena beside its peers");
        svg.text("title", "start", 24, 34, "How many times as fast as its peers Verbena is");
        svg.text("label", "start", 24, 54, subtitle);
        svg.text("label", "start", 24, 72, "Right of 1 Verbena is faster. Whiskers: the spread. Triangles: the goals.");
        for (double tick : TICKS) {
            if (tick >= least && tick <= most) {
                String style = tick == 1 ? "reference" : "grid";
                svg.element("line", "class", style, "x1", px(tick), "y1", TOP - 6, "x2", px(tick), "y2", bottom + 4);
                svg.text("label", "middle", px(tick), bottom + 20, tick >= 1 ? two(tick) : String.valueOf(tick));
            }
        }
        for (int i = 0; i < outcomes.size(); i++) {
            draw(svg, outcomes.get(i), TOP + STEP * (i + 0.5));
        }
        return svg.finish();
    }

    private void draw(Svg svg, Outcome outcome, double y) {
        Measured best = outcome.best().orElseThrow();
        double value = better(outcome, best.ratio().median());
        double from = px(Math.min(1, value));
        double to = px(Math.max(1, value));
        svg.text("label", "end", LEFT - 12, y + 4, outcome.row().title());
        String words = outcome.row().title() + ": " + two(best.ratio().median()) + " ("
                + two(best.ratio().least()) + " to " + two(best.ratio().most()) + "), "
                + best.candidate().mode();
        String colour = outcome.reached() ? "f2" : "f1";
        svg.explained(
                words,
                "rect",
                "class",
                colour,
                "x",
                from,
                "y",
                y - BAR / 2,
                "width",
                Math.max(1, to - from),
                "height",
                BAR);
        double low = px(better(outcome, best.ratio().least()));
        double high = px(better(outcome, best.ratio().most()));
        svg.element("line", "class", "whisker", "x1", low, "y1", y, "x2", high, "y2", y);
        drawGoal(svg, outcome, y);
        svg.text("small", "start", Math.max(to, Math.max(low, high)) + 6, y + 4, two(value));
    }

    private void drawGoal(Svg svg, Outcome outcome, double y) {
        if (outcome.row().goal().kind() == Goal.Kind.NONE) {
            return;
        }
        double x = px(Math.clamp(better(outcome, outcome.row().goal().bound()), least, most));
        String path =
                String.format(Locale.ROOT, "M %.1f %.1f l 4 -6 h -8 z M %.1f %.1f l 4 6 h -8 z", x, y - 4, x, y + 4);
        svg.element("path", "class", "f7", "d", path);
    }

    private double px(double value) {
        return LEFT + (RIGHT - LEFT) * Math.log(value / least) / Math.log(most / least);
    }

    private static String two(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.2f", value);
    }
}
