package io.verbena.fabric.topology;

import io.verbena.fabric.topology.Shapes.Style;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Names a topology in one word, such as {@code torus:5x5,hosts=2,rate=4xHDR}. */
public final class TopologySpecification {

    /** One line per shape: how to write it, and what it is. */
    public static final List<String> SHAPES = List.of(
            "fat-tree:K               three levels of K-port switches, K^3/4 hosts",
            "leaf-spine:LxS           L leaves, S spines; 8 hosts per leaf",
            "mesh:AxB[xC]             a grid of switches; 1 host per switch",
            "torus:AxB[xC]            a grid that wraps around; 1 host per switch",
            "hypercube:D              2^D switches; 1 host per switch",
            "ring:N                   N switches in a circle; 1 host per switch",
            "dragonfly:PxAxH          P hosts per switch, A switches per group, H global cables per switch",
            "machine-room             hosts, I/O units, a RAID subsystem, a router, redundant switches");

    private static final Set<String> OPTIONS = Set.of("hosts", "sanics", "ports", "rate", "length", "adapters");
    private static final int MOST_HOSTS = 250;

    private TopologySpecification() {}

    /**
     * The topology that the text names. Options follow after commas: {@code hosts=N} per switch, {@code sanics=N} per host, {@code
     * ports=N} per SANIC, {@code rate=4xEDR}, {@code length=METRES}, {@code adapters=low-end}: the {@link AdapterKind} of hosts, and in a
     * machine room of the cards of I/O units.
     *
     * @throws TopologyException if it names none
     */
    public static Topology parse(String text) {
        String[] parts = text.split(",", -1);
        String[] head = parts[0].split(":", -1);
        Map<String, String> options = options(parts);
        Style style = new Style(
                number(options, "sanics", 1, 1, 8),
                number(options, "ports", 1, 1, 8),
                rate(options.getOrDefault("rate", LinkRate.DEFAULT.toString())),
                number(options, "length", Cable.DEFAULT_METRES, 0, 1_000_000),
                adapters(options.getOrDefault("adapters", AdapterKind.HOST.toString())));
        if (head[0].equals("machine-room")
                && head.length == 1
                && Set.of("adapters").containsAll(options.keySet())) {
            return Shapes.machineRoom(style.adapters());
        }
        if (head.length != 2) {
            throw unknown(text);
        }
        List<Integer> sizes = sizes(text, head[1]);
        return switch (head[0] + ":" + (sizes.size() == 1 ? "1" : "n")) {
            case "fat-tree:1" -> {
                Shapes.check(!options.containsKey("hosts"), "the radix of a fat tree determines its hosts");
                yield Shapes.fatTree(sizes.getFirst(), style);
            }
            case "leaf-spine:n" -> {
                Shapes.check(sizes.size() == 2, "leaf-spine has two sizes, leaves x spines");
                yield Shapes.leafSpine(sizes.get(0), sizes.get(1), hosts(options, 8), style);
            }
            case "mesh:1", "mesh:n" -> Shapes.mesh(sizes, hosts(options, 1), style);
            case "torus:1", "torus:n" -> Shapes.torus(sizes, hosts(options, 1), style);
            case "hypercube:1" -> Shapes.hypercube(sizes.getFirst(), hosts(options, 1), style);
            case "ring:1" -> Shapes.ring(sizes.getFirst(), hosts(options, 1), style);
            case "dragonfly:n" -> {
                Shapes.check(sizes.size() == 3, "dragonfly has three sizes, hosts x switches x global cables");
                Shapes.check(!options.containsKey("hosts"), "the first size of a dragonfly is its hosts per switch");
                yield Shapes.dragonfly(sizes.get(0), sizes.get(1), sizes.get(2), style);
            }
            default -> throw unknown(text);
        };
    }

    private static TopologyException unknown(String text) {
        return new TopologyException("'" + text + "' names no topology; use fat-tree:8, leaf-spine:8x4, mesh:5x5,"
                + " torus:5x5, hypercube:4, ring:6, dragonfly:2x4x2 or machine-room");
    }

    private static Map<String, String> options(String[] parts) {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].split("=", -1);
            if (pair.length != 2 || !OPTIONS.contains(pair[0])) {
                throw new TopologyException("'" + parts[i]
                        + "' is no option of a topology; use hosts=N, sanics=N, ports=N, rate=4xEDR,"
                        + " length=METRES or adapters=low-end");
            }
            options.put(pair[0], pair[1]);
        }
        return options;
    }

    private static List<Integer> sizes(String text, String list) {
        List<Integer> sizes = new ArrayList<>();
        for (String size : list.split("x", -1)) {
            if (!size.matches("\\d{1,5}")) {
                throw unknown(text);
            }
            sizes.add(Integer.parseInt(size));
        }
        return sizes;
    }

    private static int hosts(Map<String, String> options, int unstated) {
        return number(options, "hosts", unstated, 0, MOST_HOSTS);
    }

    private static int number(Map<String, String> options, String name, int unstated, int least, int most) {
        String text = options.getOrDefault(name, String.valueOf(unstated));
        int number = text.matches("\\d{1,7}") ? Integer.parseInt(text) : -1;
        if (number < least || number > most) {
            throw new TopologyException(name + "=" + text + " is not a number from " + least + " to " + most);
        }
        return number;
    }

    private static AdapterKind adapters(String text) {
        return AdapterKind.named(text)
                .orElseThrow(() ->
                        new TopologyException("adapters=" + text + " is no kind of adapter; use host, io or low-end"));
    }

    private static LinkRate rate(String text) {
        return LinkRate.parse(text)
                .orElseThrow(() -> new TopologyException(
                        "rate=" + text + " is no rate; use a width and a speed, such as 4xEDR or 1xSDR"));
    }
}
