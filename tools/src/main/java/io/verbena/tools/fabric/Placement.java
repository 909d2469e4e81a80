package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the nodes of a topology are in a picture, in pixels: by its shape if it has a name, else by its cables. */
public final class Placement {

    /** Half the side of a square that represents a switch. */
    double switchSize = 8;
    /** The radius of a circle that represents an endnode. */
    double endnodeSize = 3.5;

    public final double[] x;
    public final double[] y;
    /** Whether links between switches that are not neighbours are drawn as arcs. */
    boolean arcs;
    /** Whether the nodes are in rows. */
    boolean rows;
    /** Pixels between neighbours. */
    double pitch = 80;

    private static final Pattern SIZES = Pattern.compile("([a-z-]+):(\\d+(?:x\\d+)*)(?:,.*)?");
    /** Where the switches of a hypercube are: the step of each dimension, in multiples of the pitch. */
    private static final double[][] STEPS = {
        {1, 0}, {0, 1}, {.36, -.3}, {2.3, .12}, {.16, 2.3}, {4.9, .3}, {.3, 4.9}, {10.2, .5}, {.5, 10.2}, {21, 1}
    };

    private final Topology topology;
    private final int[] switches;

    private Placement(Topology topology) {
        this.topology = topology;
        x = new double[topology.nodes().size()];
        y = new double[x.length];
        switches = topology.nodes().stream()
                .filter(Node::isSwitch)
                .mapToInt(Node::index)
                .toArray();
    }

    /** Places the nodes of the topology that an argument of the command line names. */
    public static Placement of(String argument, Topology topology) {
        Placement placement = new Placement(topology);
        Matcher shape = SIZES.matcher(argument);
        String name = shape.matches() ? shape.group(1) : "";
        int[] sizes = shape.matches()
                ? Arrays.stream(shape.group(2).split("x"))
                        .mapToInt(Integer::parseInt)
                        .toArray()
                : new int[0];
        switch (name) {
            case "mesh", "torus" -> placement.grid(sizes);
            case "ring" -> placement.ring();
            case "hypercube" -> placement.hypercube(sizes[0]);
            case "dragonfly" -> placement.dragonfly(sizes[1]);
            default -> {
                Rows rows = new Rows(topology);
                if (rows.apply()) {
                    rows.place(placement);
                    placement.rows = true;
                } else {
                    new Springs(topology).place(placement);
                }
            }
        }
        placement.normalize();
        return placement;
    }

    private void grid(int... sizes) {
        int longest = Math.max(sizes[0], sizes.length > 1 ? sizes[1] : 1);
        pitch = Math.clamp(1100.0 / longest, 26, 92);
        arcs = true;
        switchSize = Math.clamp(pitch / 9, 3.5, 8);
        endnodeSize = Math.clamp(pitch / 20, 2, 3.5);
        for (int i = 0; i < switches.length; i++) {
            int[] at = new int[4];
            int rest = i;
            for (int d = 0; d < Math.min(4, sizes.length); d++) {
                at[d] = rest % sizes[d];
                rest /= sizes[d];
            }
            double depth = sizes.length > 2 ? at[2] / (double) sizes[2] : 0;
            x[switches[i]] = pitch * (at[0] + depth * .95 + at[3] * (sizes[0] + 1.6));
            y[switches[i]] = pitch * (at[1] - depth * .8);
        }
        endnodes((node, number, count) -> Math.PI / 4 + (number - (count - 1) / 2.0) * .55, pitch * .3);
    }

    private void ring() {
        double radius = Math.max(120, switches.length * 46 / (2 * Math.PI));
        for (int i = 0; i < switches.length; i++) {
            double angle = 2 * Math.PI * i / switches.length - Math.PI / 2;
            x[switches[i]] = radius * StrictMath.cos(angle);
            y[switches[i]] = radius * StrictMath.sin(angle);
        }
        endnodes((node, number, count) -> StrictMath.atan2(y[node], x[node]) + (number - (count - 1) / 2.0) * .5, 34);
    }

    private void hypercube(int dimensions) {
        pitch = dimensions <= 4 ? 120 : dimensions <= 6 ? 80 : 46;
        switchSize = dimensions <= 6 ? 7 : 4.5;
        endnodeSize = dimensions <= 6 ? 3.5 : 2;
        for (int i = 0; i < switches.length; i++) {
            for (int d = 0; d < dimensions; d++) {
                double[] step = STEPS[d % STEPS.length];
                x[switches[i]] += (i >> d & 1) * step[0] * pitch;
                y[switches[i]] += (i >> d & 1) * step[1] * pitch;
            }
        }
        endnodes((node, number, count) -> 2.2 + (number - (count - 1) / 2.0) * .5, pitch * .22);
    }

    private void dragonfly(int groupSize) {
        int groups = switches.length / groupSize;
        double small = Math.max(26, groupSize * 30 / (2 * Math.PI));
        double large = groups * (2 * small + 66) / (2 * Math.PI);
        double[] outwards = new double[x.length];
        for (int i = 0; i < switches.length; i++) {
            int number = i / groupSize;
            double group = 2 * Math.PI * number / groups - Math.PI / 2;
            double angle = group + 2 * Math.PI * (i % groupSize + .5) / groupSize;
            outwards[switches[i]] = angle;
            x[switches[i]] = large * StrictMath.cos(group) + small * StrictMath.cos(angle);
            y[switches[i]] = large * StrictMath.sin(group) + small * StrictMath.sin(angle);
        }
        switchSize = 6.5;
        endnodeSize = 3;
        endnodes((node, number, count) -> outwards[node] + (number - (count - 1) / 2.0) * .5, 21);
    }

    /** The direction, as an angle, in which an endnode is from its switch; the switch has {@code count} of them. */
    interface Direction {
        double angle(int atSwitch, int number, int count);
    }

    /** Places the endnodes around the first switch that they are connected to. */
    void endnodes(Direction direction, double distance) {
        for (int s : switches) {
            List<Integer> own = attached(s);
            for (int i = 0; i < own.size(); i++) {
                double angle = direction.angle(s, i, own.size());
                x[own.get(i)] = x[s] + distance * StrictMath.cos(angle);
                y[own.get(i)] = y[s] + distance * StrictMath.sin(angle);
            }
        }
    }

    private List<Integer> attached(int s) {
        List<Integer> nodes = new ArrayList<>();
        for (int port = 1; port <= topology.node(s).ports(); port++) {
            int peer = topology.peer(s, port);
            if (peer >= 0 && !topology.node(peer).isSwitch() && home(topology, peer) == s && !nodes.contains(peer)) {
                nodes.add(peer);
            }
        }
        return nodes;
    }

    /** The first switch that an endnode is connected to; -1 if there is none. */
    static int home(Topology topology, int node) {
        for (int port = 1; port <= topology.node(node).ports(); port++) {
            int peer = topology.peer(node, port);
            if (peer >= 0 && topology.node(peer).isSwitch()) {
                return peer;
            }
        }
        return -1;
    }

    /**
     * How far the line of a link leaves the straight way, in pixels: links around a torus are arcs. Both directions bend to the same side.
     */
    public double bend(Topology of, int from, int to) {
        boolean wraps = arcs
                && of.node(from).isSwitch()
                && of.node(to).isSwitch()
                && StrictMath.hypot(x[to] - x[from], y[to] - y[from]) > 1.6 * pitch;
        return !wraps ? 0 : from < to ? -.42 * pitch : .42 * pitch;
    }

    private void normalize() {
        double left = Arrays.stream(x).min().orElse(0);
        double top = Arrays.stream(y).min().orElse(0);
        for (int i = 0; i < x.length; i++) {
            x[i] -= left;
            y[i] -= top;
        }
    }

    double width() {
        return Arrays.stream(x).max().orElse(0);
    }

    double height() {
        return Arrays.stream(y).max().orElse(0);
    }
}
