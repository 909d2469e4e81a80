package io.verbena.tools.holes;

import io.verbena.tools.picture.Svg;
import java.util.List;

/** Draws the steps of {@link HoleLife}: the content of docs/generated/hole-life.svg. */
public final class HoleLifePicture {

    private static final int WIDTH = 860;
    private static final int LEFT = 30;
    private static final int TOP = 74;
    private static final int STEP = 78;
    private static final int BOX_WIDTH = 88;
    private static final int BOX = 30;

    private HoleLifePicture() {}

    /** The picture as SVG. */
    public static String draw() {
        List<HoleLife.Step> steps = HoleLife.steps();
        Svg svg = new Svg(WIDTH, TOP + steps.size() * STEP + 6, "The life of a hole in a TCP stream");
        svg.text("title", "start", LEFT, 34, "The life of a hole");
        key(svg, LEFT, "delivered", HoleLife.Place.IN_ORDER);
        key(svg, LEFT + 110, "in its final buffer, not delivered", HoleLife.Place.EARLY);
        key(svg, LEFT + 350, "missing", HoleLife.Place.MISSING);
        for (int i = 0; i < steps.size(); i++) {
            step(svg, steps.get(i), TOP + i * STEP);
        }
        return svg.finish();
    }

    private static void key(Svg svg, int x, String words, HoleLife.Place place) {
        box(svg, place, x, 46, 14, 12, false);
        svg.text("small", "start", x + 20, 56, words);
    }

    private static void step(Svg svg, HoleLife.Step step, int y) {
        svg.text("label", "start", LEFT, y + 14, step.title());
        int hole = 0;
        for (int i = 0; i < step.places().size(); i++) {
            HoleLife.Place place = step.places().get(i);
            int x = LEFT + i * BOX_WIDTH;
            box(svg, place, x, y + 20, BOX_WIDTH - 3, BOX, i == step.arrived());
            svg.text(
                    i == step.arrived() ? "head" : "small",
                    "middle",
                    x + (BOX_WIDTH - 3) / 2.0,
                    y + 40,
                    HoleLife.messages().get(i) + " " + i);
            boolean begins =
                    place == HoleLife.Place.MISSING && (i == 0 || step.places().get(i - 1) != place);
            if (begins && hole < step.counts().size()) {
                svg.text(
                        "small",
                        "start",
                        x,
                        y + 64,
                        "hole " + hole + ": " + step.counts().get(hole));
                hole++;
            }
        }
        svg.text("head", "start", LEFT + step.places().size() * BOX_WIDTH + 12.0, y + 40, step.delivered());
    }

    private static void box(Svg svg, HoleLife.Place place, int x, int y, int width, int height, boolean arrived) {
        String series = switch (place) {
            case IN_ORDER -> "s0";
            case EARLY -> "s2";
            case MISSING -> "s7";
        };
        svg.element(
                "rect",
                "class",
                series,
                "fill",
                "none",
                "stroke-width",
                arrived ? 3.5 : 1.6,
                "stroke-dasharray",
                place == HoleLife.Place.MISSING ? "4 4" : "none",
                "x",
                x,
                "y",
                y,
                "width",
                width,
                "height",
                height,
                "rx",
                4);
    }
}
