package io.verbena.tools.memory;

import io.verbena.tools.picture.Svg;
import java.util.List;

/** Draws the way of an address through the tables, and what became of two remote accesses, as SVG. */
public final class MemoryPicture {

    private static final int WIDTH = 860;
    private static final int LEFT = 30;
    private static final int BOX = 40;
    private static final int STEP = 112;
    private static final int TOP = 70;

    private MemoryPicture() {}

    /** The picture of a demonstration. */
    public static String of(MemoryDemo.Result result) {
        List<WalkStep> steps = result.walks().after();
        int bottom = TOP + steps.size() * STEP;
        Svg svg = new Svg(WIDTH, bottom + 130, "The translation of an effective address");
        svg.text("title", "start", LEFT, 34, "The translation of one address, and who may use it");
        for (int i = 0; i < steps.size(); i++) {
            step(svg, steps.get(i), TOP + i * STEP, i == steps.size() - 1);
        }
        access(
                svg,
                bottom + 8,
                2,
                "Authorised",
                "Read of " + result.advertised().length() + " bytes with key "
                        + MemoryWalk.hex(result.advertised().rkey() & 0xffff_ffffL) + ": \"" + result.allowed() + "\"");
        access(svg, bottom + 58, 1, "Refused", "Read of one byte more: " + result.refused());
        return svg.finish();
    }

    private static void step(Svg svg, WalkStep step, int y, boolean last) {
        svg.text("head", "start", LEFT, y, step.title());
        int count = step.fields().size();
        double width = (WIDTH - 2.0 * LEFT) / count;
        for (int i = 0; i < count; i++) {
            WalkStep.Field field = step.fields().get(i);
            double x = LEFT + i * width;
            int series = field.passedOn() ? 0 : 7;
            svg.element(
                    "rect",
                    "class",
                    "s" + series,
                    "fill",
                    "none",
                    "stroke-width",
                    field.passedOn() ? 2 : 1,
                    "x",
                    x,
                    "y",
                    y + 8,
                    "width",
                    width - 4,
                    "height",
                    BOX,
                    "rx",
                    4);
            svg.text("small", "middle", x + width / 2, y + 23, field.name());
            svg.text("head", "middle", x + width / 2, y + 40, field.value());
        }
        svg.text("label", "start", LEFT + 18, y + 68, step.sentence());
        if (!last) {
            svg.element(
                    "path",
                    "class",
                    "s0",
                    "fill",
                    "none",
                    "stroke-width",
                    1.6,
                    "d",
                    "M " + (LEFT + 6) + " " + (y + 54) + " v 34 m -4 -6 l 4 6 l 4 -6");
        }
    }

    private static void access(Svg svg, int y, int series, String head, String words) {
        svg.element(
                "rect",
                "class",
                "s" + series,
                "fill",
                "none",
                "stroke-width",
                1.6,
                "x",
                LEFT,
                "y",
                y,
                "width",
                WIDTH - 2 * LEFT,
                "height",
                44,
                "rx",
                4);
        svg.text("head", "start", LEFT + 10, y + 18, head);
        svg.text("small", "start", LEFT + 10, y + 35, words.length() > 130 ? words.substring(0, 129) + "…" : words);
    }
}
