package io.verbena.tools.picture;

import java.util.ArrayList;
import java.util.List;

/** What all charts have above their panels: a title, a line or more about the circumstances, and a legend. */
final class Frame {

    static final double WIDTH = 800;
    static final double MARGIN = 24;
    static final double LINE = 18;

    private static final double MARK = 30;
    private static final double Y_TICKS_APART_PX = 23;

    private Frame() {}

    /** Draws what the lines and names need and says where it ends, in pixels from the top. */
    static double draw(Svg svg, String title, String subtitle, List<String> names, Key key) {
        double y = MARGIN + 10;
        svg.text("title", "start", MARGIN, y, title);
        for (String line : subtitleLines(subtitle)) {
            y += LINE;
            svg.text("label", "start", MARGIN, y, line);
        }
        if (names.size() < 2) {
            return y;
        }
        double x = MARGIN;
        y += LINE + 6;
        for (int i = 0; i < names.size(); i++) {
            double width = entryWidth(names.get(i));
            if (x > MARGIN && x + width > WIDTH - MARGIN) {
                x = MARGIN;
                y += LINE;
            }
            key.draw(svg, i, x, y - 4);
            svg.text("label", "start", x + MARK, y, names.get(i));
            x += width;
        }
        return y;
    }

    /** Draws how a series looks in the legend, 22 pixels wide around a height. */
    interface Key {
        void draw(Svg svg, int series, double x, double y);
    }

    /** Where {@link #draw} will end. */
    static double height(String title, String subtitle, List<String> names) {
        return draw(new Svg(1, 1, title), title, subtitle, names, (svg, series, x, y) -> {});
    }

    private static double entryWidth(String name) {
        return MARK + Style.width(name) + 14;
    }

    private static List<String> subtitleLines(String subtitle) {
        return subtitle.isBlank() ? List.of() : wrap(subtitle, WIDTH - 2 * MARGIN);
    }

    /** Breaks words into lines of a width, and words that are too long after commas. Other long words stay whole. */
    static List<String> wrap(String words, double widthPx) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : words.strip().split("\\s+")) {
            boolean parts = Style.width(word) > widthPx;
            String space = " ";
            for (String part : parts ? word.split("(?<=,)", -1) : new String[] {word}) {
                if (!line.isEmpty() && Style.width(line + space + part) > widthPx) {
                    lines.add(line.toString());
                    line.setLength(0);
                }
                line.append(line.isEmpty() ? "" : space).append(part);
                space = "";
            }
        }
        lines.add(line.toString());
        return lines;
    }

    /** Draws the grid, the tick labels and the label of an axis that goes up. */
    static void drawY(Svg svg, Scale scale, double left, double right) {
        for (double tick : scale.ticks(Y_TICKS_APART_PX)) {
            double y = scale.px(tick);
            svg.element("line", "class", "grid", "x1", left, "y1", y, "x2", right, "y2", y);
            svg.text("label", "end", left - 8, y + 4, scale.axis().unit().text(tick));
        }
        svg.text("head", "start", MARGIN, scale.toPx() - 14, scale.axis().label());
    }

    /** Room that the tick labels of an axis that goes up need. */
    static double labelsWidth(Scale scale) {
        return scale.ticks(Y_TICKS_APART_PX).stream()
                .mapToDouble(tick -> Style.width(scale.axis().unit().text(tick)))
                .max()
                .orElse(0);
    }
}
