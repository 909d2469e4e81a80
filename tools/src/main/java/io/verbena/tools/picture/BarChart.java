package io.verbena.tools.picture;

import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Groups of bars side by side, one bar a series in each group, with whiskers for the spread and a line to compare with.
 *
 * @param title what is shown
 * @param subtitle under which circumstances; may be empty
 * @param series names of the bars of each group, from left to right
 * @param groups from left to right
 * @param y the vertical axis; a logarithmic one begins at a round number
 * @param reference a value to compare with
 */
public record BarChart(
        String title, String subtitle, List<String> series, List<Group> groups, Axis y, Optional<Reference> reference) {

    private static final double PANEL_PX = 260;
    private static final double ABOVE_PX = 44;

    /** A bar is no wider than this, however much room there is. */
    private static final double MOST_BAR_PX = 54;

    private static final double SMALL = 0.9;

    /**
     * Bars that belong together.
     *
     * @param name what they have in common
     * @param bars as many as there are series
     */
    public record Group(String name, List<Bar> bars) {

        /** Keeps its own list. */
        public Group {
            bars = List.copyOf(bars);
        }
    }

    /**
     * A value with its spread, or none at all.
     *
     * @param value height of the bar
     * @param low lower end of the whisker
     * @param high upper end of the whisker; no whisker is drawn when both are the value
     */
    public record Bar(double value, double low, double high) {

        /** A bar that is left out, since nothing was measured. */
        public static final Bar NONE = new Bar(Double.NaN, Double.NaN, Double.NaN);

        /** A bar without a whisker. */
        public static Bar of(double value) {
            return new Bar(value, value, value);
        }

        boolean drawn() {
            return !Double.isNaN(value);
        }

        boolean spread() {
            return low != high;
        }
    }

    /**
     * A value to compare with.
     *
     * @param value where the line is
     * @param label what it is
     */
    public record Reference(double value, String label) {}

    /**
     * Checks that there is something to draw.
     *
     * @throws IllegalArgumentException when no bar has a value, a group has other bars than there are series, or the axis cannot
     *     show a value
     */
    public BarChart {
        series = List.copyOf(series);
        groups = List.copyOf(groups);
        for (Group group : groups) {
            if (group.bars().size() != series.size()) {
                throw new IllegalArgumentException("The group '" + group.name() + "' has "
                        + group.bars().size() + " bars where " + series.size() + " are expected");
            }
        }
        if (bars(groups).findAny().isEmpty()) {
            throw new IllegalArgumentException("There is nothing to draw along '" + y.label() + "'");
        }
        double least = y.logarithmic() ? Double.MIN_NORMAL : 0;
        values(groups, reference).forEach(value -> {
            if (!(value >= least && value <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException("The axis '" + y.label() + "' has no place for " + value);
            }
        });
    }

    /** The picture. */
    public String toSvg() {
        double top = Frame.height(title, subtitle, series);
        double panelTop = top + ABOVE_PX;
        Scale scale = Scale.alongY(
                y,
                values(groups, reference).min().orElseThrow(),
                values(groups, reference).max().orElseThrow(),
                panelTop + PANEL_PX,
                panelTop);
        double left = Frame.MARGIN + Frame.labelsWidth(scale) + 8;
        double right = Frame.WIDTH - Frame.MARGIN;
        double groupPx = (right - left) / groups.size();
        int nameLines = groups.stream()
                .mapToInt(group -> Frame.wrap(group.name(), groupPx - 8).size())
                .max()
                .orElse(1);
        Svg svg = new Svg(Frame.WIDTH, panelTop + PANEL_PX + 8 + nameLines * Frame.LINE + 14, title);
        Frame.draw(svg, title, subtitle, series, BarChart::drawKey);
        Frame.drawY(svg, scale, left, right);
        for (int i = 0; i < groups.size(); i++) {
            draw(svg, groups.get(i), scale, left + i * groupPx, groupPx);
        }
        double bottom = scale.fromPx();
        svg.element("line", "class", "axis", "x1", left, "y1", bottom, "x2", right, "y2", bottom);
        reference.ifPresent(line -> drawReference(svg, line, scale, left, right));
        for (int i = 0; i < groups.size(); i++) { // last, so that no line crosses a number
            drawValues(svg, groups.get(i), scale, left + i * groupPx, groupPx);
        }
        return svg.finish();
    }

    private void draw(Svg svg, Group group, Scale scale, double left, double width) {
        double step = barStep(width);
        double x = left + (width - step * series.size()) / 2;
        for (int i = 0; i < series.size(); i++) {
            Bar bar = group.bars().get(i);
            if (bar.drawn()) {
                drawBar(svg, group.name(), bar, i, scale, x + i * step, step);
            }
        }
        double y = scale.fromPx();
        for (String line : Frame.wrap(group.name(), width - 8)) {
            y += Frame.LINE;
            svg.text("label", "middle", left + width / 2, y, line);
        }
    }

    private void drawBar(Svg svg, String group, Bar bar, int number, Scale scale, double x, double step) {
        double gap = Math.min(3, step * 0.1);
        double top = scale.px(bar.value());
        String value = y.unit().text(bar.value());
        String words = group + ", " + series.get(number) + ": " + value
                + (bar.spread()
                        ? " (" + y.unit().text(bar.low()) + " to " + y.unit().text(bar.high()) + ")"
                        : "");
        svg.explained(
                words,
                "rect",
                "class",
                Style.fill(number),
                "x",
                x + gap / 2,
                "y",
                top,
                "width",
                step - gap,
                "height",
                Math.max(0, scale.fromPx() - top),
                "rx",
                Math.min(2, step / 4));
        if (bar.spread()) {
            drawWhisker(svg, x + step / 2, scale.px(bar.low()), scale.px(bar.high()), Math.min(5, step / 4));
        }
    }

    /** Writes the values above the bars where they are wide enough for it. */
    private void drawValues(Svg svg, Group group, Scale scale, double left, double width) {
        double step = barStep(width);
        double x = left + (width - step * series.size()) / 2;
        for (int i = 0; i < series.size(); i++) {
            Bar bar = group.bars().get(i);
            if (!bar.drawn()) {
                continue;
            }
            String value = y.unit().text(bar.value());
            if (Style.width(value) * SMALL <= step) {
                double above = scale.px(Math.max(bar.value(), bar.high())) - 5;
                svg.text("small", "middle", x + (i + 0.5) * step, above, value);
            }
        }
    }

    private double barStep(double width) {
        return Math.min(width * 0.8 / series.size(), MOST_BAR_PX);
    }

    private static void drawWhisker(Svg svg, double x, double low, double high, double half) {
        String path = "M " + at(x, low) + " L " + at(x, high) + " M " + at(x - half, low) + " L " + at(x + half, low)
                + " M " + at(x - half, high) + " L " + at(x + half, high);
        svg.element("path", "class", "whisker", "d", path);
    }

    private static String at(double x, double y) {
        return Svg.number(x) + " " + Svg.number(y);
    }

    private static void drawReference(Svg svg, Reference line, Scale scale, double left, double right) {
        double px = scale.px(line.value());
        svg.element("line", "class", "reference", "x1", left, "y1", px, "x2", right, "y2", px);
        double keyRight = right - Style.width(line.label()) * 1.12 - 8;
        double keyPx = scale.toPx() - 18;
        svg.element("line", "class", "reference", "x1", keyRight - 32, "y1", keyPx, "x2", keyRight, "y2", keyPx);
        svg.text("head", "end", right, scale.toPx() - 14, line.label());
    }

    private static void drawKey(Svg svg, int series, double x, double y) {
        svg.element("rect", "class", Style.fill(series), "x", x + 8, "y", y - 6, "width", 14, "height", 12, "rx", 2);
    }

    private static Stream<Bar> bars(List<Group> groups) {
        return groups.stream().flatMap(group -> group.bars().stream()).filter(Bar::drawn);
    }

    private static DoubleStream values(List<Group> groups, Optional<Reference> reference) {
        return DoubleStream.concat(
                bars(groups).flatMapToDouble(bar -> DoubleStream.of(bar.value(), bar.low(), bar.high())),
                reference.stream().mapToDouble(Reference::value));
    }
}
