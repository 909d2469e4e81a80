package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.List;

/** Shapes of real clusters as their operators describe them: what their nodes are called, and how many ports they have. */
final class RealClusters {

    private static final long GUIDS = 0x0a00_0000_0000_0000L;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Cable> cables = new ArrayList<>();
    private final LinkRate rate;
    private int nextLid = 1;

    private RealClusters(String rate) {
        this.rate = LinkRate.parse(rate).orElseThrow();
    }

    /**
     * Switches with aggregation nodes (SHARP): the last port of each switch leads to an adapter inside it, and all of these have the same
     * description. One host has never been named, and two neither.
     */
    static Topology aggregation() {
        RealClusters cluster = new RealClusters("4xHDR");
        int leaves = 4;
        int[] spines = {
            cluster.switchWithAggregation("MF0;spine-1:MQM8700/U1"),
            cluster.switchWithAggregation("Quantum Mellanox Technologies")
        };
        for (int leaf = 0; leaf < leaves; leaf++) {
            int at = cluster.switchWithAggregation(
                    leaf < 2 ? "MF0;leaf-" + leaf + ":MQM8700/U1" : "Quantum Mellanox Technologies");
            for (int host = 0; host < 3; host++) {
                String name = host == 0 ? "node" + leaf + " HCA-1" : "MT4123 ConnectX6   Mellanox Technologies";
                cluster.cable(cluster.add(NodeKind.ADAPTER, name, 1, 0), 1, at, host + 1);
            }
            for (int s = 0; s < spines.length; s++) {
                cluster.cable(at, 39 + s, spines[s], leaf + 1);
            }
        }
        return cluster.build();
    }

    private int switchWithAggregation(String name) {
        int at = add(NodeKind.SWITCH, name, 41, 0);
        int aggregation = add(
                NodeKind.ADAPTER,
                "Mellanox Technologies Aggregation Node",
                1,
                nodes.get(at).guid());
        cable(aggregation, 1, at, 41);
        return at;
    }

    /** Each adapter has a port in each of four planes; the switches of one box belong to different planes and have its name. */
    static Topology planes() {
        RealClusters cluster = new RealClusters("1xXDR");
        int planes = 4;
        int[] leaves = new int[planes];
        int[] spines = new int[planes];
        for (int plane = 0; plane < planes; plane++) {
            leaves[plane] = cluster.add(
                    NodeKind.SWITCH,
                    "MF0;xsp-leaf:Q3400_RA/U" + (plane + 1),
                    149,
                    plane == 0 ? 0 : cluster.nodes.get(leaves[0]).guid());
            spines[plane] = cluster.add(
                    NodeKind.SWITCH,
                    "MF0;xsp-spine:Q3400_RA/U" + (plane + 1),
                    149,
                    plane == 0 ? 0 : cluster.nodes.get(spines[0]).guid());
            cluster.cable(leaves[plane], 149, spines[plane], 149);
            cluster.cable(leaves[plane], 148, spines[plane], 148);
        }
        for (int host = 0; host < 8; host++) {
            int adapter = cluster.add(NodeKind.ADAPTER, "gpu-" + host + " mlx5_0", planes, 0);
            for (int plane = 0; plane < planes; plane++) {
                cluster.cable(adapter, plane + 1, host < 6 ? leaves[plane] : spines[plane], 70 + host);
            }
        }
        return cluster.build();
    }

    /** Adapter r of every host is connected to leaf r: eight rails. */
    static Topology rails() {
        RealClusters cluster = new RealClusters("4xNDR");
        int rails = 8;
        int[] leaves = new int[rails];
        int[] spines = new int[2];
        for (int spine = 0; spine < spines.length; spine++) {
            spines[spine] = cluster.add(NodeKind.SWITCH, "MF0;spine-" + spine + ":MQM9700/U1", 65, 0);
        }
        for (int rail = 0; rail < rails; rail++) {
            leaves[rail] = cluster.add(NodeKind.SWITCH, "MF0;rail-" + rail + ":MQM9700/U1", 65, 0);
            for (int spine = 0; spine < spines.length; spine++) {
                cluster.cable(leaves[rail], 63 + spine, spines[spine], rail + 1);
            }
        }
        for (int host = 0; host < 4; host++) {
            for (int rail = 0; rail < rails; rail++) {
                int adapter = cluster.add(NodeKind.ADAPTER, "dgx-" + host + " mlx5_" + rail, 1, 0);
                cluster.cable(adapter, 1, leaves[rail], host + 1);
            }
        }
        return cluster.build();
    }

    private int add(NodeKind kind, String description, int ports, long system) {
        int index = nodes.size();
        long guid = GUIDS | (long) (index + 1) << 12;
        List<PortAddress> addresses = new ArrayList<>();
        for (int port = kind == NodeKind.SWITCH ? 0 : 1; port <= (kind == NodeKind.SWITCH ? 0 : ports); port++) {
            addresses.add(new PortAddress(guid + port, nextLid++, 0));
        }
        Identity identity = new Identity(guid, system == 0 ? guid : system, 0x2c9, 0xd2f0, description);
        nodes.add(new Node(index, kind, description, identity, ports, addresses));
        return index;
    }

    private void cable(int a, int portA, int b, int portB) {
        cables.add(new Cable(a, portA, b, portB, rate, Cable.DEFAULT_METRES));
    }

    /** Names are unique as the reader makes them. */
    private Topology build() {
        List<Node> named = new ArrayList<>();
        for (Node node : nodes) {
            long same = nodes.stream()
                    .filter(other -> other.name().equals(node.name()))
                    .count();
            String name = same > 1 ? node.name() + " " + node.id() : node.name();
            named.add(new Node(node.index(), node.kind(), name, node.identity(), node.ports(), node.addresses()));
        }
        return new Topology(named, cables);
    }
}
