package io.verbena.bench.profile;

import io.verbena.tools.picture.Svg;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a flame graph: a box a frame, as wide as its share of the samples, above the box of its caller. Colours tell rooms
 * apart. {@code java … io.verbena.bench.profile.FlameGraph RECORDING.jfr PICTURE.svg} draws any recording.
 */
public final class FlameGraph {

    private static final double WIDTH = 1200;
    private static final double MARGIN = 20;
    private static final double TOP = 90;
    private static final double STEP = 17;
    private static final double LETTER_PX = 6.3;

    /** Boxes narrower than this number of pixels are left out. */
    private static final double LEAST_PX = 1.5;

    private static final int SHORTEST_LABEL = 4;

    private final StackTree tree;
    private final String title;
    private final String subtitle;
    private final double samplePx;
    private final long leastSamples;

    FlameGraph(StackTree tree, String title, String subtitle) {
        if (tree.samples() == 0) {
            throw new IllegalArgumentException("the recording holds no samples of stacks");
        }
        this.tree = tree;
        this.title = title;
        this.subtitle = subtitle;
        samplePx = (WIDTH - 2 * MARGIN) / tree.samples();
        leastSamples = (long) Math.ceil(LEAST_PX / samplePx);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: FlameGraph RECORDING.jfr PICTURE.svg");
            System.exit(2);
        }
        StackTree tree = Stacks.read(Path.of(arguments[0]));
        String svg = new FlameGraph(tree, arguments[0], tree.samples() + " samples").toSvg();
        Files.writeString(Path.of(arguments[1]), svg);
    }

    String toSvg() {
        double height = TOP + STEP * (tree.depth(leastSamples) + 1) + MARGIN;
        Svg svg = new Svg(WIDTH, height, title);
        svg.text("title", "start", MARGIN, 32, title);
        svg.text("label", "start", MARGIN, 52, subtitle);
        drawKey(svg);
        draw(svg, tree, new ArrayList<>(), MARGIN, height - MARGIN - STEP);
        return svg.finish();
    }

    private static void drawKey(Svg svg) {
        double x = MARGIN;
        for (Room room : Room.values()) {
            if (colour(room).equals(colour(Room.OTHER)) && room != Room.OTHER) {
                continue;
            }
            String words = switch (room) {
                case SYSTEM_WRITE -> "system calls";
                case COPY -> "copies, checksum";
                case IWARP -> "iwarp, wire";
                case MEMORY -> "memory, queue, base";
                case RNIC -> "rnic";
                case HOST -> "host";
                case APPLICATION -> "the application";
                case OTHER -> "the JDK and the rest";
                default -> "";
            };
            if (!words.isEmpty()) {
                svg.element("rect", "class", colour(room), "x", x, "y", 64, "width", 12, "height", 12, "rx", 2);
                svg.text("label", "start", x + 17, 74, words);
                x += 36 + words.length() * LETTER_PX;
            }
        }
    }

    private void draw(Svg svg, StackTree frame, List<String> stack, double x, double y) {
        double width = frame.samples() * samplePx;
        box(svg, frame, stack, x, y, width);
        double next = x;
        for (StackTree callee : frame.callees()) {
            if (callee.samples() >= leastSamples) {
                stack.add(callee.frame());
                draw(svg, callee, stack, next, y - STEP);
                stack.removeLast();
            }
            next += callee.samples() * samplePx;
        }
    }

    private void box(Svg svg, StackTree frame, List<String> stack, double x, double y, double width) {
        String share = String.format(Locale.ROOT, "%.1f %%", 100.0 * frame.samples() / tree.samples());
        String colour = stack.size() <= 1 ? "f7" : colour(Room.of(stack));
        svg.explained(
                frame.frame() + ": " + share,
                "rect",
                "class",
                colour,
                "x",
                x,
                "y",
                y,
                "width",
                Math.max(0.5, width - 0.6),
                "height",
                STEP - 1,
                "rx",
                1.5);
        String label = shorten(stack.size() <= 1 ? frame.frame() : shortName(frame.frame()), width);
        if (!label.isEmpty()) {
            svg.text("small", "start", x + 3, y + 12, label);
        }
    }

    /** Class and method without the package. */
    static String shortName(String frame) {
        int method = frame.lastIndexOf('.');
        int type = method < 0 ? -1 : frame.lastIndexOf('.', method - 1);
        return frame.substring(type + 1);
    }

    /** As much of a label as fits, or nothing. */
    static String shorten(String label, double width) {
        int letters = (int) ((width - 6) / LETTER_PX);
        if (letters >= label.length()) {
            return label;
        }
        return letters < SHORTEST_LABEL ? "" : label.substring(0, letters - 1) + "…";
    }

    private static String colour(Room room) {
        return switch (room) {
            case SYSTEM_WRITE, SYSTEM_READ, SYSTEM_SELECT -> "f1";
            case COPY, CHECKSUM -> "f5";
            case IWARP, WIRE -> "f0";
            case MEMORY, QUEUE, BASE -> "f6";
            case RNIC -> "f3";
            case HOST -> "f2";
            case APPLICATION -> "f4";
            case OTHER -> "f7";
        };
    }
}
