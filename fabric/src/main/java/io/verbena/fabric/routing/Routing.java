package io.verbena.fabric.routing;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.PortAddress;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Engines that compute forwarding tables. The same topology with the same LIDs always gives the same tables. */
public enum Routing {
    /** Shortest paths, spread evenly over the output ports. Topologies with cycles may have credit loops. */
    MINHOP {
        @Override
        Optional<int[]> ranks(RoutingGraph graph) {
            return Optional.of(new int[graph.count()]);
        }
    },
    /**
     * Up*\/down* (Schroeder et al., 1991): no path goes up again after it has gone down from the root, the most central switch.
     * Never has credit loops.
     */
    UP_DOWN {
        @Override
        Optional<int[]> ranks(RoutingGraph graph) {
            return Optional.of(graph.distances(List.of(graph.center())));
        }
    },
    /** Up to a common ancestor that the destination chooses, and down. For fat trees, whose cables join adjacent levels only. */
    FAT_TREE {
        @Override
        Optional<int[]> ranks(RoutingGraph graph) {
            int[] levels = graph.distances(graph.leaves());
            if (graph.leaves().isEmpty() || !graph.joinsAdjacentLevels(levels)) {
                return Optional.empty();
            }
            return Optional.of(Arrays.stream(levels).map(level -> -level).toArray());
        }
    };

    /** A discarding entry. */
    static final int NONE = 255;

    /** The rank of each switch of the graph, lowest at the top; empty if the engine cannot route this topology. */
    abstract Optional<int[]> ranks(RoutingGraph graph);

    /**
     * The forwarding tables: for each node its output ports by LID; empty arrays for nodes that are no switches. Empty if the engine cannot
     * route this topology.
     *
     * @param topology with the LIDs of all endports
     */
    public Optional<byte[][]> tables(Topology topology) {
        RoutingGraph graph = new RoutingGraph(topology);
        Optional<int[]> ranks = graph.count() == 0 ? Optional.of(new int[0]) : ranks(graph);
        if (ranks.isEmpty()) {
            return Optional.empty();
        }
        int top = 0;
        for (Node node : topology.nodes()) {
            for (PortAddress address : node.addresses()) {
                top = Math.max(top, address.lid() == 0 ? 0 : address.lid() + address.lids() - 1);
            }
        }
        byte[][] tables = new byte[topology.nodes().size()][];
        for (Node node : topology.nodes()) {
            tables[node.index()] = new byte[node.isSwitch() ? top + 1 : 0];
            Arrays.fill(tables[node.index()], (byte) NONE);
        }
        new Filling(topology, graph, ranks.get(), tables).all();
        return Optional.of(tables);
    }

    /** One computation. */
    private final class Filling {
        private final Topology topology;
        private final RoutingGraph graph;
        private final int[] ranks;
        private final byte[][] tables;
        private final int[][] load;
        private int destinations;

        Filling(Topology topology, RoutingGraph graph, int[] ranks, byte[][] tables) {
            this.topology = topology;
            this.graph = graph;
            this.ranks = ranks;
            this.tables = tables;
            load = new int[graph.count()][256];
        }

        void all() {
            for (int target = 0; target < graph.count(); target++) {
                Node node = topology.node(graph.node(target));
                List<int[]> ways = Routing.this == MINHOP ? shortest(target) : upDown(target);
                fill(node.address(0), target, 0, ways);
                for (int port = 1; port <= node.ports(); port++) {
                    int peer = topology.peer(node.index(), port);
                    if (peer >= 0 && !topology.node(peer).isSwitch()) {
                        fill(topology.node(peer).address(topology.peerPort(node.index(), port)), target, port, ways);
                    }
                }
            }
        }

        /** All LIDs of one endport, which is at a port of the target switch. */
        private void fill(PortAddress address, int target, int port, List<int[]> ways) {
            for (int lid = address.lid(); lid != 0 && lid < address.lid() + address.lids(); lid++) {
                for (int at = 0; at < graph.count(); at++) {
                    int out = at == target ? port : choose(at, ways.get(at), port != 0);
                    tables[graph.node(at)][lid] = (byte) out;
                }
                destinations += port != 0 ? 1 : 0;
            }
        }

        private int choose(int at, int[] ports, boolean counted) {
            if (ports.length == 0) {
                return NONE;
            }
            if (Routing.this == FAT_TREE) {
                // Each level uses other digits of the destination's number, so that all ancestors are used.
                int digits = destinations;
                for (int level = 0; level < -ranks[at]; level++) {
                    digits /= ports.length;
                }
                return ports[digits % ports.length];
            }
            int best = ports[0];
            for (int port : ports) {
                best = load[at][port] < load[at][best] ? port : best;
            }
            load[at][best] += counted ? 1 : 0;
            return best;
        }

        private List<int[]> shortest(int target) {
            int[] distance = graph.distances(List.of(target));
            List<int[]> ways = new ArrayList<>();
            for (int i = 0; i < graph.count(); i++) {
                int at = i;
                ways.add(graph.ports(
                        at, next -> distance[at] != RoutingGraph.FAR && distance[next] == distance[at] - 1));
            }
            return ways;
        }

        private boolean above(int a, int b) {
            return ranks[a] < ranks[b] || ranks[a] == ranks[b] && a < b;
        }

        /**
         * A switch from which the target can be reached by going down only does so, because a packet may have come to it from above.
         * The others go up, to the neighbour with the shortest way.
         */
        private List<int[]> upDown(int target) {
            int[] down = graph.search(target, (from, to) -> above(to, from));
            int[] best = graph.relax(down, (at, next) -> above(next, at));
            List<int[]> ways = new ArrayList<>();
            for (int i = 0; i < graph.count(); i++) {
                int at = i;
                if (down[at] != RoutingGraph.FAR) {
                    ways.add(graph.ports(at, next -> above(at, next) && down[next] == down[at] - 1));
                } else {
                    ways.add(graph.ports(
                            at, next -> above(next, at) && best[at] != RoutingGraph.FAR && best[next] == best[at] - 1));
                }
            }
            return ways;
        }
    }
}
