package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Topologies of a regular shape. Hosts are named {@code h0}, {@code h1} and so on, in the order of their switches.
 */
public final class Shapes {

    private Shapes() {}

    /** How the endnodes look, and how the cables. */
    public record Style(int sanics, int portsEach, LinkRate rate, int lengthMetres, AdapterKind adapters) {

        /** One adapter of one port per host. */
        public static final Style DEFAULT = new Style(1, 1, LinkRate.DEFAULT, Cable.DEFAULT_METRES, AdapterKind.HOST);

        TopologyBuilder builder() {
            return new TopologyBuilder(rate, lengthMetres).adapters(adapters);
        }
    }

    /** Adds a host and connects every port of its adapters to the same switch. */
    private static void host(TopologyBuilder builder, Style style, int number, int atSwitch) {
        for (int sanic : builder.host("h" + number, style.sanics(), style.portsEach())) {
            for (int port = 0; port < style.portsEach(); port++) {
                builder.cable(sanic, atSwitch);
            }
        }
    }

    /**
     * A fat tree of three levels, from switches with {@code radix} ports (Al-Fares et al., 2008): radix pods, each with radix/2 edge
     * and radix/2 aggregation switches; radix^2/4 core switches; radix^3/4 hosts.
     */
    public static Topology fatTree(int radix, Style style) {
        check(radix >= 2 && radix <= 48 && radix % 2 == 0, "the radix of a fat tree is even and 2 to 48, not " + radix);
        int half = radix / 2;
        int wires = style.sanics() * style.portsEach();
        TopologyBuilder builder = style.builder();
        int[] cores = new int[half * half];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = builder.switchNode("core-" + i, radix);
        }
        int host = 0;
        for (int pod = 0; pod < radix; pod++) {
            int[] aggregation = new int[half];
            for (int i = 0; i < half; i++) {
                aggregation[i] = builder.switchNode("aggregation-" + pod + "-" + i, radix);
                for (int up = 0; up < half; up++) {
                    builder.cable(aggregation[i], half + up + 1, cores[i * half + up], pod + 1);
                }
            }
            for (int e = 0; e < half; e++) {
                int edge = builder.switchNode("edge-" + pod + "-" + e, half * wires + half);
                for (int h = 0; h < half; h++) {
                    host(builder, style, host++, edge);
                }
                for (int i = 0; i < half; i++) {
                    builder.cable(edge, half * wires + i + 1, aggregation[i], e + 1);
                }
            }
        }
        return builder.build();
    }

    /** Two levels: every leaf is connected to every spine; {@code hosts} hosts per leaf. */
    public static Topology leafSpine(int leaves, int spines, int hosts, Style style) {
        positive("leaves", leaves);
        positive("spines", spines);
        TopologyBuilder builder = style.builder();
        int[] tops = new int[spines];
        for (int i = 0; i < spines; i++) {
            tops[i] = builder.switchNode("spine-" + i, leaves);
        }
        int host = 0;
        for (int leaf = 0; leaf < leaves; leaf++) {
            int down = hosts * style.sanics() * style.portsEach();
            int index = builder.switchNode("leaf-" + leaf, down + spines);
            for (int h = 0; h < hosts; h++) {
                host(builder, style, host++, index);
            }
            for (int i = 0; i < spines; i++) {
                builder.cable(index, down + i + 1, tops[i], leaf + 1);
            }
        }
        return builder.build();
    }

    /** A grid of switches without wrap-around, {@code hosts} hosts per switch. */
    public static Topology mesh(List<Integer> sizes, int hosts, Style style) {
        return grid(sizes, false, hosts, style);
    }

    /** A grid of switches that wraps around in each dimension of three or more, {@code hosts} hosts per switch. */
    public static Topology torus(List<Integer> sizes, int hosts, Style style) {
        return grid(sizes, true, hosts, style);
    }

    /** Switches in a circle. */
    public static Topology ring(int switches, int hosts, Style style) {
        return grid(List.of(switches), true, hosts, style);
    }

    /** A hypercube: 2^dimensions switches; two are neighbours if their numbers differ in one bit. */
    public static Topology hypercube(int dimensions, int hosts, Style style) {
        check(dimensions >= 1 && dimensions <= 14, "a hypercube has 1 to 14 dimensions, not " + dimensions);
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < dimensions; i++) {
            sizes.add(2);
        }
        return grid(sizes, false, hosts, style);
    }

    /** In every dimension d, port 2d+1 leads to the next switch and port 2d+2 to the previous one; hosts follow. */
    private static Topology grid(List<Integer> sizes, boolean wraps, int hosts, Style style) {
        check(!sizes.isEmpty() && sizes.size() <= 14, "a grid has 1 to 14 dimensions, not " + sizes.size());
        long total = 1;
        for (int size : sizes) {
            positive("switches of a dimension", size);
            total *= size;
            check(total <= 65_536, "a grid has at most 65,536 switches");
        }
        int count = (int) total;
        TopologyBuilder builder = style.builder();
        int grid = 2 * sizes.size();
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder("s");
            int rest = i;
            for (int size : sizes) {
                name.append('-').append(rest % size);
                rest /= size;
            }
            builder.switchNode(name.toString(), grid + hosts * style.sanics() * style.portsEach());
        }
        int stride = 1;
        for (int d = 0; d < sizes.size(); d++) {
            int size = sizes.get(d);
            for (int i = 0; i < count; i++) {
                int at = i / stride % size;
                if (at + 1 < size) {
                    builder.cable(i, 2 * d + 1, i + stride, 2 * d + 2);
                } else if (wraps && size > 2) {
                    builder.cable(i, 2 * d + 1, i - stride * (size - 1), 2 * d + 2);
                }
            }
            stride *= size;
        }
        int number = 0;
        for (int i = 0; i < count; i++) {
            int wire = grid + 1;
            for (int h = 0; h < hosts; h++) {
                for (int sanic : builder.host("h" + number, style.sanics(), style.portsEach())) {
                    for (int port = 1; port <= style.portsEach(); port++) {
                        builder.cable(sanic, port, i, wire++);
                    }
                }
                number++;
            }
        }
        return builder.build();
    }

    /**
     * A dragonfly (Kim et al., 2008): groups of {@code switches} fully connected switches, each with {@code hosts} hosts and {@code
     * globals} cables to other groups; switches * globals + 1 groups, each pair of which is connected by one cable.
     */
    public static Topology dragonfly(int hosts, int switches, int globals, Style style) {
        positive("switches of a group", switches);
        positive("cables between groups per switch", globals);
        check(
                switches <= 200 && globals <= 200,
                "a group has at most 200 switches with 200 cables to other groups each");
        int groups = switches * globals + 1;
        check((long) groups * switches <= 65_536, "a dragonfly has at most 65,536 switches");
        TopologyBuilder builder = style.builder();
        int down = hosts * style.sanics() * style.portsEach();
        for (int g = 0; g < groups; g++) {
            for (int s = 0; s < switches; s++) {
                builder.switchNode("g" + g + "-s" + s, down + switches - 1 + globals);
            }
        }
        int host = 0;
        for (int s = 0; s < groups * switches; s++) {
            for (int h = 0; h < hosts; h++) {
                host(builder, style, host++, s);
            }
        }
        for (int g = 0; g < groups; g++) {
            for (int a = 0; a < switches; a++) {
                for (int b = a + 1; b < switches; b++) {
                    builder.cable(g * switches + a, down + b, g * switches + b, down + a + 1);
                }
            }
            // Cable number n of a group leads to the group n + 1 further on; there it is number groups - 2 - n.
            for (int n = 0; n < groups - 1; n++) {
                int other = (g + n + 1) % groups;
                int back = groups - 2 - n;
                if (g < other) {
                    builder.cable(
                            g * switches + n / globals,
                            down + switches + n % globals,
                            other * switches + back / globals,
                            down + switches + back % globals);
                }
            }
        }
        return builder.build();
    }

    /** {@link #machineRoom(AdapterKind)} with cards that have the adapters of hosts. */
    public static Topology machineRoom() {
        return machineRoom(AdapterKind.HOST);
    }

    /**
     * A small machine room with every kind of node: four hosts with two SANICs of two ports, a RAID subsystem, two I/O units with a
     * switch in their backplane, two redundant switches, and a router to a second subnet with two more hosts.
     *
     * @param cards the kind of the cards of the I/O units
     */
    static Topology machineRoom(AdapterKind cards) {
        TopologyBuilder builder = new TopologyBuilder();
        int one = builder.switchNode("switch-1", 16);
        int two = builder.switchNode("switch-2", 16);
        builder.cable(one, two).cable(one, two);
        for (int h = 0; h < 4; h++) {
            for (int sanic : builder.host("h" + h, 2, 2)) {
                builder.cable(sanic, one).cable(sanic, two);
            }
        }
        int raid = builder.adapter("raid sanic-1", 2);
        builder.cable(raid, one).cable(raid, two);
        for (int unit = 1; unit <= 2; unit++) {
            int backplane = builder.adapters(cards).ioUnit("io" + unit, 4, 2);
            builder.adapters(AdapterKind.HOST);
            builder.cable(backplane, one).cable(backplane, two);
        }
        int router = builder.router("router-1", 2);
        int three = builder.switchNode("switch-3", 4);
        builder.cable(router, one).cable(router, three);
        for (int h = 4; h < 6; h++) {
            builder.cable(builder.host("h" + h, 1, 1)[0], three);
        }
        return builder.build();
    }

    private static void positive(String what, int count) {
        check(count >= 1, "the number of " + what + " is 1 or more, not " + count);
    }

    static void check(boolean condition, String sentence) {
        if (!condition) {
            throw new TopologyException("Impossible topology: " + sentence);
        }
    }
}
