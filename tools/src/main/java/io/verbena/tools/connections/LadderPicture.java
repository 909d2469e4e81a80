package io.verbena.tools.connections;

import io.verbena.tools.connections.Ladder.Rung;
import io.verbena.tools.picture.Svg;
import java.util.Locale;

/** A ladder as a picture. */
public final class LadderPicture {

    private static final double WIDTH = 980;
    private static final double LEFT = 210;
    private static final double RIGHT = 770;
    private static final double MIDDLE = (LEFT + RIGHT) / 2;
    private static final double TOP = 96;
    private static final double STEP = 30;

    private LadderPicture() {}

    /** The picture of a ladder. */
    public static String of(Ladder ladder, String title) {
        double height = TOP + STEP * ladder.rungs().size() + 30;
        Svg svg = new Svg(WIDTH, height, title);
        svg.text("title", "middle", MIDDLE, 34, title);
        svg.text("head", "middle", LEFT, 66, "side A").text("head", "middle", RIGHT, 66, "side B");
        for (double x : new double[] {LEFT, RIGHT}) {
            svg.element("line", "class", "axis", "x1", x, "y1", 76, "x2", x, "y2", height - 20);
        }
        double y = TOP;
        for (Rung rung : ladder.rungs()) {
            rung(svg, rung, y);
            y += STEP;
        }
        return svg.finish();
    }

    private static void rung(Svg svg, Rung rung, double y) {
        svg.text("small", "start", 10, y + 4, String.format(Locale.ROOT, "%.0f µs", rung.micros()));
        switch (rung.kind()) {
            case INCIDENT -> svg.text("head", "middle", MIDDLE, y + 4, "⚡ " + rung.text());
            case RIGHT -> arrow(svg, rung.text(), y, true);
            case LEFT -> arrow(svg, rung.text(), y, false);
            case REPORT_A -> svg.text("label", "start", LEFT + 12, y + 4, clipped(rung.text()));
            case REPORT_B -> svg.text("label", "end", RIGHT - 12, y + 4, clipped(rung.text()));
            case STATES -> {
                int tab = rung.text().indexOf('\t');
                svg.text("head", "end", LEFT - 12, y + 4, rung.text().substring(0, tab));
                svg.text("head", "start", RIGHT + 12, y + 4, rung.text().substring(tab + 1));
                svg.element("line", "class", "grid", "x1", LEFT, "y1", y, "x2", RIGHT, "y2", y);
            }
        }
    }

    private static void arrow(Svg svg, String text, double y, boolean right) {
        double from = right ? LEFT : RIGHT;
        double to = right ? RIGHT : LEFT;
        double back = right ? -9 : 9;
        String colour = right ? "s0" : "s1";
        svg.element("line", "class", "curve " + colour, "x1", from, "y1", y, "x2", to, "y2", y + 8);
        svg.element("line", "class", "curve " + colour, "x1", to, "y1", y + 8, "x2", to + back, "y2", y + 3);
        svg.element("line", "class", "curve " + colour, "x1", to, "y1", y + 8, "x2", to + back, "y2", y + 12);
        svg.text("small", "middle", MIDDLE, y - 4, clipped(text));
    }

    private static String clipped(String text) {
        return text.length() > 84 ? text.substring(0, 83) + "…" : text;
    }
}
