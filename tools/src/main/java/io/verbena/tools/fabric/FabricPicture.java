package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.tools.picture.Labels;
import io.verbena.tools.picture.Svg;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Draws a fabric: its nodes, and its links in a colour and a width that show how busy they are. */
public final class FabricPicture {

    private static final double MARGIN = 40;
    private static final double HEAD = 104;
    private static final double LINE = 18;
    private static final double LEAST_WIDTH = 660;

    /** Pixels between a node and the places at which its name is tried, the nearest ones first. */
    private static final double[] DISTANCES = {4, 10, 18, 28};

    private static final int DIRECTIONS = 8;

    private final NodeGroups groups;
    private final Topology topology;
    private final Placement placement;
    private final List<FabricLoads.Link> links;
    private final List<Integer> path;
    private final double left;
    private final double top;
    private final Svg svg;
    private final Labels labels;

    private FabricPicture(String argument, Topology whole, List<FabricLoads.Link> links, List<Integer> path) {
        groups = NodeGroups.of(whole, links);
        topology = groups.topology();
        this.links = groups.links(links);
        Map<Integer, Integer> numbers = groups.numbers();
        this.path = path.stream().map(node -> numbers.getOrDefault(node, node)).toList();
        placement = Placement.of(argument, topology);
        double width = Math.max(LEAST_WIDTH, placement.width() + 2 * MARGIN);
        double height = placement.height() + HEAD + 2 * MARGIN + (path.isEmpty() ? 0 : LINE);
        left = (width - placement.width()) / 2;
        top = height - MARGIN - placement.height();
        svg = new Svg(width, height, "The fabric " + argument + " with its traffic");
        labels = new Labels(width, height);
        labels.box(0, 0, width, HEAD - 6 + (path.isEmpty() ? 0 : LINE));
        svg.style(css());
    }

    /**
     * The picture as SVG. If the topology is a tree with many links, nodes of the same neighbours are drawn as one.
     *
     * @param argument names the topology, and thereby its shape
     * @param lines a title, and what else is known
     * @param path nodes of a path that is marked; may be empty
     */
    public static String draw(
            String argument, Topology topology, List<FabricLoads.Link> links, List<String> lines, List<Integer> path) {
        FabricPicture picture = new FabricPicture(argument, topology, links, path);
        picture.head(lines);
        if (path.size() > 1) {
            List<String> names = path.stream().map(n -> topology.node(n).name()).toList();
            picture.svg.text("on", "start", 24, 40 + LINE * lines.size(), "path: " + String.join(" > ", names));
            picture.svg.open("g", "class", "faded");
            picture.links();
            picture.svg.close();
            picture.path();
        } else {
            picture.links();
        }
        picture.nodes();
        picture.names();
        return picture.svg.finish();
    }

    private static String css() {
        StringBuilder css =
                new StringBuilder(".l{fill:none;stroke-linecap:round}.n{fill:#ffffff;stroke:#424a53;stroke-width:1.4}"
                        + ".e{fill:#57606a}.faded{opacity:.4}.under,.path{fill:none;stroke-linecap:round;stroke-linejoin:round}"
                        + ".under{stroke:#ffffff;stroke-width:9}.path{stroke:#0a7d3c;stroke-width:4.5}"
                        + ".n.on{stroke:#0a7d3c;stroke-width:3}.e.on,text.on{fill:#0a7d3c;font-weight:600}");
        LoadColours.LIGHT.appendTo(css);
        css.append("@media"
                + " (prefers-color-scheme:dark){.n{fill:#0d1117;stroke:#b3bbc4}.e{fill:#9aa4ae}.under{stroke:#0d1117}.path{stroke:#3fd17c}"
                + ".n.on{stroke:#3fd17c}.e.on,text.on{fill:#3fd17c}");
        LoadColours.DARK.appendTo(css);
        return css.append('}').toString();
    }

    private void head(List<String> lines) {
        svg.text("title", "start", 24, 36, lines.getFirst());
        for (int i = 1; i < lines.size(); i++) {
            svg.text("label", "start", 24, 40 + LINE * i, lines.get(i));
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
        return top + placement.y[node];
    }

    /** On top of the links, on a line in the colour of the paper, so that no other link is mistaken for a part of it. */
    private void path() {
        StringBuilder d = new StringBuilder();
        for (int i = 1; i < path.size(); i++) {
            Way way = way(path.get(i - 1), path.get(i), 0);
            d.append(d.isEmpty() ? way.d() : " " + way.onwards());
            way.keepFree(labels, 9);
        }
        svg.element("path", "class", "under", "d", d);
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
            if (links.size() > NodeGroups.MOST_LINKS || groups.joined()) {
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
        Way way = way(flow.from(), flow.to(), shift);
        way.keepFree(labels, width);
        svg.explained(
                topology.node(flow.from()).name() + " > "
                        + topology.node(flow.to()).name() + ": " + groups.words(flow),
                "path",
                "class",
                "l h" + LoadColours.step(flow.load()),
                "stroke-width",
                width,
                "d",
                way.d());
    }

    /** A step to the right-hand side of the way from one node to another. */
    private double[] side(int from, int to, double length) {
        double dx = x(to) - x(from);
        double dy = y(to) - y(from);
        double far = Math.max(1e-6, StrictMath.hypot(dx, dy));
        return new double[] {-dy / far * length, dx / far * length};
    }

    private Way way(int from, int to, double shift) {
        double[] side = side(from, to, shift);
        double startX = x(from) + side[0];
        double startY = y(from) + side[1];
        double endX = x(to) + side[0];
        double endY = y(to) + side[1];
        boolean wraps = placement.arcs
                && topology.node(from).isSwitch()
                && topology.node(to).isSwitch()
                && StrictMath.hypot(x(to) - x(from), y(to) - y(from)) > 1.6 * placement.pitch;
        if (!wraps) {
            return new Way(startX, startY, endX, endY);
        }
        // Both directions bend to the same side: that of the way from the lower node to the higher one.
        double[] bend = from < to ? side(from, to, -.42 * placement.pitch) : side(from, to, .42 * placement.pitch);
        return new Way(startX, startY, startX + bend[0], startY + bend[1], endX + bend[0], endY + bend[1], endX, endY);
    }

    private double size(int node) {
        return topology.node(node).isSwitch() ? placement.switchSize : placement.endnodeSize;
    }

    private void nodes() {
        for (int node = 0; node < placement.x.length; node++) {
            String name = topology.node(node).name();
            double size = size(node);
            String on = path.contains(node) ? " on" : "";
            labels.box(x(node) - size, y(node) - size, x(node) + size, y(node) + size);
            if (topology.node(node).isSwitch()) {
                svg.explained(
                        name,
                        "rect",
                        "class",
                        "n" + on,
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
                svg.explained(name, "circle", "class", "e" + on, "cx", x(node), "cy", y(node), "r", size);
            }
        }
    }

    /** Names of the path's nodes, then of switches and groups, where there is a free place for them. */
    private void names() {
        for (int node : path) {
            labels.write(svg, places(node), label(node));
        }
        List<Integer> named = new ArrayList<>();
        for (Node node : topology.nodes()) {
            boolean wanted = node.isSwitch() || groups.joined();
            if (wanted && !path.contains(node.index())) {
                named.add(node.index());
            }
        }
        // The direction that is free at most nodes comes first at all, so that a name is found where the others have
        // theirs.
        List<Integer> directions = new ArrayList<>();
        for (int i = 0; i < DIRECTIONS; i++) {
            directions.add(i);
        }
        Map<Integer, Long> free = new HashMap<>();
        for (int direction : directions) {
            free.put(
                    direction,
                    named.stream()
                            .filter(node -> labels.free(place(node, direction, DISTANCES[0]), label(node)))
                            .count());
        }
        directions.sort(Comparator.comparingLong((Integer direction) -> -free.getOrDefault(direction, 0L)));
        for (int node : named) {
            List<Labels.Place> places = new ArrayList<>(belowItsEndnodes(node));
            for (double distance : DISTANCES) {
                directions.forEach(direction -> places.add(place(node, direction, distance)));
            }
            labels.write(svg, places, label(node));
        }
    }

    private String label(int node) {
        String name = topology.node(node).name();
        int comma = groups.joined() ? name.indexOf(", ") : -1;
        return comma < 0 ? name : name.substring(0, comma);
    }

    private List<Labels.Place> places(int node) {
        List<Labels.Place> places = new ArrayList<>(belowItsEndnodes(node));
        for (double distance : DISTANCES) {
            for (int direction = 0; direction < DIRECTIONS; direction++) {
                places.add(place(node, direction, distance));
            }
        }
        return places;
    }

    /** A place for the name of a node: above, below, on the right, on the left, then towards the corners. */
    private Labels.Place place(int node, int direction, double distance) {
        double far = size(node) + distance;
        double corner = size(node) + distance / 2 - 2;
        return switch (direction) {
            case 0 -> new Labels.Place("middle", x(node), y(node) - far - 1);
            case 1 -> new Labels.Place("middle", x(node), y(node) + far + 8);
            case 2 -> new Labels.Place("start", x(node) + far, y(node) + 4);
            case 3 -> new Labels.Place("end", x(node) - far, y(node) + 4);
            case 4 -> new Labels.Place("end", x(node) - corner, y(node) - corner - 2);
            case 5 -> new Labels.Place("start", x(node) + corner, y(node) - corner - 2);
            case 6 -> new Labels.Place("end", x(node) - corner, y(node) + corner + 9);
            default -> new Labels.Place("start", x(node) + corner, y(node) + corner + 9);
        };
    }

    /** In a tree, the name of a switch with endnodes is below these: the links to the switches above occupy both sides. */
    private List<Labels.Place> belowItsEndnodes(int node) {
        if (!placement.rows || !topology.node(node).isSwitch()) {
            return List.of();
        }
        double lowest = Double.NEGATIVE_INFINITY;
        for (int port = 1; port <= topology.node(node).ports(); port++) {
            int peer = topology.peer(node, port);
            if (peer >= 0 && !topology.node(peer).isSwitch()) {
                lowest = Math.max(lowest, y(peer) + placement.endnodeSize);
            }
        }
        return lowest > 0 && !groups.joined() ? List.of(new Labels.Place("middle", x(node), lowest + 14)) : List.of();
    }
}
