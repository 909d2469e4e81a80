package io.verbena.fabric.routing;

import io.verbena.fabric.routing.Path.Hop;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Searches routes for credit loops. A packet holds a lane of one link while it waits for credits of a lane of the next, so each
 * path makes lanes depend on each other. If these dependencies contain a cycle, packets can wait for each other forever; if they contain
 * none, they cannot (Dally and Seitz, 1987).
 */
public final class CreditLoops {

    private final Topology topology;
    private final Routes routes;
    private final Map<Hop, Integer> numbers = new HashMap<>();
    private final List<Hop> channels = new ArrayList<>();
    private final List<Set<Integer>> next = new ArrayList<>();
    private final List<String> unreachable = new ArrayList<>();
    private long paths;

    /**
     * The result.
     *
     * @param cycle the lanes that wait for each other, each for the next and the last for the first; empty if there is no credit loop
     * @param paths number of paths between adapters
     * @param unreachable paths that do not arrive, as sentences; at most ten
     */
    public record Verdict(List<Hop> cycle, long paths, List<String> unreachable) {

        /** Copies the lists. */
        public Verdict {
            cycle = List.copyOf(cycle);
            unreachable = List.copyOf(unreachable);
        }

        /** Whether there is a credit loop. */
        public boolean loop() {
            return !cycle.isEmpty();
        }

        /** One sentence. */
        public String sentence(Topology topology) {
            if (!loop()) {
                return "No credit loop: the lanes of " + paths + " paths depend on each other without a cycle";
            }
            StringBuilder out = new StringBuilder("Credit loop of " + cycle.size() + " lanes:");
            for (Hop hop : cycle) {
                out.append(' ')
                        .append(topology.node(hop.node()).name())
                        .append(':')
                        .append(hop.port());
                out.append(" VL").append(hop.virtualLane()).append(" ->");
            }
            return out.append(" the first").toString();
        }
    }

    private CreditLoops(Topology topology, Routes routes) {
        this.topology = topology;
        this.routes = routes;
    }

    /** Follows the paths from every port of an adapter to every LID of another, and searches their dependencies for a cycle. */
    public static Verdict search(Topology topology, Routes routes) {
        CreditLoops search = new CreditLoops(topology, routes);
        search.followAll();
        return new Verdict(search.cycle(), search.paths, search.unreachable);
    }

    private void followAll() {
        List<Node> adapters = topology.nodes(NodeKind.ADAPTER);
        for (Node from : adapters) {
            for (int port = 1; port <= from.ports(); port++) {
                if (topology.cableAt(from.index(), port) >= 0 && routes.lid(from.index(), port) != 0) {
                    followFrom(adapters, from, port);
                }
            }
        }
    }

    private void followFrom(List<Node> adapters, Node from, int port) {
        for (Node to : adapters) {
            for (int p = 1; p <= to.ports(); p++) {
                int base = routes.lid(to.index(), p);
                int lids = base == 0 || to == from ? 0 : 1 << routes.lmc(to.index(), p);
                for (int lid = base; lid < base + lids; lid++) {
                    follow(from, port, lid);
                }
            }
        }
    }

    private void follow(Node from, int port, int lid) {
        Path path = Path.follow(topology, routes, from.index(), port, lid);
        paths++;
        if (!path.arrived() && unreachable.size() < 10) {
            unreachable.add("From '" + from.name() + "': " + path.problem());
        }
        int before = -1;
        for (Hop hop : path.hops()) {
            int channel = numbers.computeIfAbsent(hop, fresh -> {
                channels.add(fresh);
                next.add(new LinkedHashSet<>());
                return channels.size() - 1;
            });
            if (before >= 0) {
                next.get(before).add(channel);
            }
            before = channel;
        }
    }

    /** A depth-first search without recursion: a channel that is found again on the way to itself closes a cycle. */
    private List<Hop> cycle() {
        int[][] edges = new int[channels.size()][];
        for (int i = 0; i < edges.length; i++) {
            edges[i] = next.get(i).stream().mapToInt(Integer::intValue).toArray();
        }
        int[] state = new int[edges.length];
        int[] way = new int[edges.length];
        int[] tried = new int[edges.length];
        for (int start = 0; start < edges.length; start++) {
            int depth = 0;
            if (state[start] == 0) {
                way[depth++] = start;
                state[start] = 1;
            }
            while (depth > 0) {
                int at = way[depth - 1];
                if (tried[at] == edges[at].length) {
                    state[at] = 2;
                    depth--;
                    continue;
                }
                int to = edges[at][tried[at]++];
                if (state[to] == 1) {
                    int[] whole = Arrays.copyOf(way, depth);
                    int from = 0;
                    while (whole[from] != to) {
                        from++;
                    }
                    return Arrays.stream(whole, from, depth)
                            .mapToObj(channels::get)
                            .toList();
                }
                if (state[to] == 0) {
                    state[to] = 1;
                    way[depth++] = to;
                }
            }
        }
        return List.of();
    }
}
