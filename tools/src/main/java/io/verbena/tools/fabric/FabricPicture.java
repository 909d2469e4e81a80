package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Topology;
import io.verbena.tools.picture.Svg;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws a fabric: its nodes, and its links in a colour and a width that show how busy they are. */
public final class FabricPicture {

    private static final double MARGIN = 40;
    private static final double HEAD = 104;
    private static final double LEAST_WIDTH = 660;
    /** With more links than this, both directions are one line that shows the busier one. */
    private static final int MOST_PAIRS = 700;

    private static final double LABEL_SPACE = 54;

    private final Topology topology;
    private final Placement placement;
    private final List<FabricLoads.Link> links;
    private final double left;
    private final Svg svg;

    private FabricPicture(String argument, Topology topology, List<FabricLoads.Link> links) {
        this.topology = topology;
        this.links = links;
        placement = Placement.of(argument, topology);
        double width = Math.max(LEAST_WIDTH, placement.width() + 2 * MARGIN);
        left = (width - placement.width()) / 2;
        svg = new Svg(width, placement.height() + HEAD + 2 * MARGIN, "The fabric " + argument + " with its traffic");
        svg.style(css());
    }

    /**
     * The picture as SVG.
     *
     * @param argument names the topology, and thereby its shape
     * @param lines a title, and what else is known
     * @param path nodes of a path that is marked; may be empty
     */
    public static String draw(
            String argument, Topology topology, List<FabricLoads.Link> links, List<String> lines, List<Integer> path) {
        FabricPicture picture = new FabricPicture(argument, topology, links);
        picture.head(lines);
        picture.path(path);
        picture.links();
        picture.nodes();
        return picture.svg.finish();
    }

    private static String css() {
        StringBuilder css = new StringBuilder(
                ".l{fill:none;stroke-linecap:round}.n{fill:#ffffff;stroke:#424a53;stroke-width:1.4}"
                        + ".e{fill:#57606a}.path{fill:none;stroke:#1f2328;stroke-opacity:.18;stroke-width:13;stroke-linecap:round;stroke-linejoin:round}");
        LoadColours.LIGHT.appendTo(css);
        css.append("@media"
                + " (prefers-color-scheme:dark){.n{fill:#0d1117;stroke:#b3bbc4}.e{fill:#9aa4ae}.path{stroke:#f0f3f6}");
        LoadColours.DARK.appendTo(css);
        return css.append('}').toString();
    }

    private void head(List<String> lines) {
        svg.text("title", "start", 24, 36, lines.getFirst());
        for (int i = 1; i < lines.size(); i++) {
            svg.text("label", "start", 24, 40 + 18 * i, lines.get(i));
        }
        double right = Math.max(LEAST_WIDTH, placement.width() + 2 * MARGIN) - 24;
        double cell = 13;
        double from = right - cell * (LoadColours.STEPS + 1);
        for (int i = 0; i <= LoadColours.STEPS; i++) {
            svg.element("rect", "class", "c" + i, "x", from + cell * i, "y", 22, "width", cell, "height", 9);
        }
        svg.text("small", "start", from, 44, "idle").text("small", "end", right, 44, "100 %");
        svg.text("small", "end", from - 8, 31, "load of a link");
    }

    private double x(int node) {
        return left + placement.x[node];
    }

    private double y(int node) {
        return HEAD + MARGIN + placement.y[node];
    }

    private void path(List<Integer> nodes) {
        if (nodes.size() < 2) {
            return;
        }
        StringBuilder d =
                new StringBuilder("M " + Svg.number(x(nodes.getFirst())) + " " + Svg.number(y(nodes.getFirst())));
        for (int i = 1; i < nodes.size(); i++) {
            d.append(' ').append(curve(nodes.get(i - 1), nodes.get(i), 0));
        }
        svg.element("path", "class", "path", "d", d);
    }

    /** The quiet links first, so that the busy ones are on top. */
    private void links() {
        Map<Long, Integer> cables = new HashMap<>();
        Map<FabricLoads.Link, Double> shifts = new HashMap<>();
        for (FabricLoads.Link link : links) {
            shifts.put(link, 8.0 * cables.merge(pair(link), 1, Integer::sum));
        }
        List<FabricLoads.Link> sorted = new ArrayList<>(links);
        sorted.sort(Comparator.comparingDouble(FabricLoads.Link::load));
        for (FabricLoads.Link link : sorted) {
            double shift = shifts.getOrDefault(link, 0.0) - 4 - 4 * cables.getOrDefault(pair(link), 1);
            if (links.size() > MOST_PAIRS) {
                FabricLoads.Flow busier = link.there().load() >= link.back().load() ? link.there() : link.back();
                line(busier, shift, 0.7 + 2.2 * busier.load());
            } else {
                line(link.there(), shift + 1.6, 1 + 2.4 * link.there().load());
                line(link.back(), 1.6 - shift, 1 + 2.4 * link.back().load());
            }
        }
    }

    private static long pair(FabricLoads.Link link) {
        int a = link.there().from();
        int b = link.there().to();
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }

    private void line(FabricLoads.Flow flow, double shift, double width) {
        String words = String.format(
                Locale.ROOT,
                "%s > %s: %.0f %%%s",
                topology.node(flow.from()).name(),
                topology.node(flow.to()).name(),
                100 * flow.load(),
                flow.stalled() < .005
                        ? ""
                        : String.format(Locale.ROOT, ", waits for credits %.0f %% of the time", 100 * flow.stalled()));
        double[] side = side(flow.from(), flow.to(), shift);
        String d = "M " + Svg.number(x(flow.from()) + side[0]) + " " + Svg.number(y(flow.from()) + side[1]) + " "
                + curve(flow.from(), flow.to(), shift);
        svg.explained(words, "path", "class", "l h" + LoadColours.step(flow.load()), "stroke-width", width, "d", d);
    }

    /** A step to the right-hand side of the way from one node to another. */
    private double[] side(int from, int to, double length) {
        double dx = x(to) - x(from);
        double dy = y(to) - y(from);
        double far = Math.max(1e-6, StrictMath.hypot(dx, dy));
        return new double[] {-dy / far * length, dx / far * length};
    }

    private String curve(int from, int to, double shift) {
        double[] side = side(from, to, shift);
        double endX = x(to) + side[0];
        double endY = y(to) + side[1];
        String end = Svg.number(endX) + " " + Svg.number(endY);
        boolean wraps = placement.arcs
                && topology.node(from).isSwitch()
                && topology.node(to).isSwitch()
                && StrictMath.hypot(x(to) - x(from), y(to) - y(from)) > 1.6 * placement.pitch;
        if (!wraps) {
            return "L " + end;
        }
        // Both directions bend to the same side: that of the way from the lower node to the higher one.
        double[] bend = from < to ? side(from, to, -.42 * placement.pitch) : side(from, to, .42 * placement.pitch);
        return "C " + Svg.number(x(from) + side[0] + bend[0]) + " " + Svg.number(y(from) + side[1] + bend[1]) + " "
                + Svg.number(endX + bend[0]) + " " + Svg.number(endY + bend[1]) + " " + end;
    }

    private void nodes() {
        boolean labels = placement.names && space() >= LABEL_SPACE;
        for (int node = 0; node < placement.x.length; node++) {
            String name = topology.node(node).name();
            double size = topology.node(node).isSwitch() ? placement.switchSize : placement.endnodeSize;
            if (topology.node(node).isSwitch()) {
                svg.explained(
                        name,
                        "rect",
                        "class",
                        "n",
                        "x",
                        x(node) - size,
                        "y",
                        y(node) - size,
                        "width",
                        2 * size,
                        "height",
                        2 * size,
                        "rx",
                        size / 3);
            } else {
                svg.explained(name, "circle", "class", "e", "cx", x(node), "cy", y(node), "r", size);
            }
            if (labels && topology.node(node).isSwitch()) {
                label(node, size, name);
            }
        }
    }

    /** Where the fewest links are: beside a switch in a tree, above its left corner elsewhere. */
    private void label(int node, double size, String name) {
        if (!placement.rows) {
            svg.text("small", "end", x(node) - size + 3, y(node) - size - 4, name);
        } else if (placement.y[node] == 0) {
            svg.text("small", "middle", x(node), y(node) - size - 5, name);
        } else {
            svg.text("small", "start", x(node) + size + 4, y(node) + 4, name);
        }
    }

    /** The smallest distance of two switches that are side by side. */
    private double space() {
        double least = Double.MAX_VALUE;
        List<Integer> switches = new ArrayList<>();
        for (int node = 0; node < placement.x.length; node++) {
            if (topology.node(node).isSwitch()) {
                switches.add(node);
            }
        }
        if (switches.size() > 150) {
            return 0;
        }
        for (int a : switches) {
            for (int b : switches) {
                double far = StrictMath.hypot(x(a) - x(b), 3 * (y(a) - y(b)));
                least = a == b ? least : Math.min(least, far);
            }
        }
        return least;
    }
}
