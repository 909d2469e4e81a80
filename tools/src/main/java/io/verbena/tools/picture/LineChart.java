package io.verbena.tools.picture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Curves over one or two panels, one below the other. A series of the same name has the same colour and mark in both.
 *
 * @param title what is shown
 * @param subtitle under which circumstances; may be empty
 * @param panels from top to bottom, one or more
 */
public record LineChart(String title, String subtitle, List<Panel> panels) {

    private static final double PANEL_PX = 240;
    private static final double ABOVE_PX = 44;
    private static final double BELOW_PX = 50;

    /** Longest a label of the x axis is, with room around it. */
    private static final double X_TICKS_APART_PX = 56;

    /**
     * A pair of axes with curves.
     *
     * @param x the horizontal axis
     * @param y the vertical axis
     * @param series the curves
     */
    public record Panel(Axis x, Axis y, List<Series> series) {

        /** Keeps its own list. */
        public Panel {
            series = List.copyOf(series);
        }
    }

    /**
     * A curve.
     *
     * @param name for the legend
     * @param points in any order; a curve may have none
     */
    public record Series(String name, List<Point> points) {

        /** Sorts the points by {@code x}. */
        public Series {
            points =
                    points.stream().sorted(Comparator.comparingDouble(Point::x)).toList();
        }
    }

    /** A point of a curve. */
    public record Point(double x, double y) {}

    /**
     * Checks that there is something to draw.
     *
     * @throws IllegalArgumentException when a panel has no point, or an axis cannot show a value
     */
    public LineChart {
        panels = List.copyOf(panels);
        if (panels.isEmpty()) {
            throw new IllegalArgumentException("A chart needs a panel");
        }
        for (Panel panel : panels) {
            check(panel.x(), xs(panel));
            check(panel.y(), ys(panel));
        }
    }

    private static void check(Axis axis, DoubleStream values) {
        double[] all = values.toArray();
        if (all.length == 0) {
            throw new IllegalArgumentException("There is nothing to draw along '" + axis.label() + "'");
        }
        for (double value : all) {
            if (!Double.isFinite(value) || axis.logarithmic() && value <= 0) {
                throw new IllegalArgumentException("The axis '" + axis.label() + "' has no place for " + value);
            }
        }
    }

    /** The picture. */
    public String toSvg() {
        List<String> names = names();
        double top = Frame.height(title, subtitle, names);
        double height = top + panels.size() * (ABOVE_PX + PANEL_PX + BELOW_PX) + 6;
        Svg svg = new Svg(Frame.WIDTH, height, title);
        Frame.draw(svg, title, subtitle, names, LineChart::drawKey);
        double left = Frame.MARGIN
                + panels.stream()
                        .mapToDouble(panel -> Frame.labelsWidth(alongY(panel, 0)))
                        .max()
                        .orElse(0)
                + 8;
        for (Panel panel : panels) {
            draw(svg, panel, names, left, top + ABOVE_PX);
            top += ABOVE_PX + PANEL_PX + BELOW_PX;
        }
        return svg.finish();
    }

    private List<String> names() {
        LinkedHashSet<String> names = new LinkedHashSet<>();
        panels.forEach(panel -> panel.series().forEach(series -> names.add(series.name())));
        return new ArrayList<>(names);
    }

    private static void draw(Svg svg, Panel panel, List<String> names, double left, double top) {
        double right = Frame.WIDTH - Frame.MARGIN;
        double bottom = top + PANEL_PX;
        Scale x = Scale.alongX(
                panel.x(), xs(panel).min().orElseThrow(), xs(panel).max().orElseThrow(), left, right);
        Scale y = alongY(panel, top);
        Frame.drawY(svg, y, left, right);
        for (double tick : x.ticks(X_TICKS_APART_PX)) {
            double px = x.px(tick);
            svg.element("line", "class", "grid", "x1", px, "y1", top, "x2", px, "y2", bottom);
            svg.text("label", "middle", px, bottom + 18, panel.x().unit().text(tick));
        }
        svg.element("line", "class", "axis", "x1", left, "y1", bottom, "x2", right, "y2", bottom);
        svg.text("head", "middle", (left + right) / 2, bottom + 40, panel.x().label());
        for (Series series : panel.series()) {
            drawCurve(svg, panel, series, names.indexOf(series.name()), x, y);
        }
    }

    private static Scale alongY(Panel panel, double top) {
        return Scale.alongY(
                panel.y(), ys(panel).min().orElseThrow(), ys(panel).max().orElseThrow(), top + PANEL_PX, top);
    }

    private static void drawCurve(Svg svg, Panel panel, Series series, int number, Scale x, Scale y) {
        StringBuilder line = new StringBuilder();
        for (Point point : series.points()) {
            line.append(line.isEmpty() ? "" : " ")
                    .append(Svg.number(x.px(point.x())))
                    .append(',')
                    .append(Svg.number(y.px(point.y())));
        }
        svg.element("polyline", "class", "curve " + Style.stroke(number), "points", line);
        for (Point point : series.points()) {
            String words = series.name() + ": " + panel.y().unit().text(point.y()) + " at "
                    + panel.x().unit().text(point.x());
            svg.explained(
                    words,
                    "path",
                    "class",
                    Style.fill(number),
                    "d",
                    Style.mark(number, x.px(point.x()), y.px(point.y())));
        }
    }

    private static void drawKey(Svg svg, int series, double x, double y) {
        svg.element("line", "class", "curve " + Style.stroke(series), "x1", x, "y1", y, "x2", x + 22, "y2", y);
        svg.element("path", "class", Style.fill(series), "d", Style.mark(series, x + 11, y));
    }

    private static DoubleStream xs(Panel panel) {
        return panel.series().stream().flatMap(s -> s.points().stream()).mapToDouble(Point::x);
    }

    private static DoubleStream ys(Panel panel) {
        return panel.series().stream().flatMap(s -> s.points().stream()).mapToDouble(Point::y);
    }
}
