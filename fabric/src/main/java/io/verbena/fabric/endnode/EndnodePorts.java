package io.verbena.fabric.endnode;

import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which ports (LLEs) belong to which endnode (SANIC). Ports are numbered from 1 on, those of an endnode in a row; the LIDs of a port are
 * its number times 2^LMC and those that follow, one for each path to it.
 */
final class EndnodePorts {

    private final int[] first;
    private final int[] endnodeOf;
    private final int lmc;

    /** @param counts number of connected ports of each endnode, in the order of the LIDs */
    private EndnodePorts(int[] counts, int lmc) {
        this.lmc = lmc;
        first = new int[counts.length + 1];
        first[0] = 1;
        for (int i = 0; i < counts.length; i++) {
            first[i + 1] = first[i] + counts[i];
        }
        endnodeOf = new int[first[counts.length]];
        for (int i = 0; i < counts.length; i++) {
            Arrays.fill(endnodeOf, first[i], first[i + 1], i);
        }
    }

    /** Each adapter of a wiring is an endnode. */
    static EndnodePorts of(Wiring wiring) {
        List<Integer> counts = new ArrayList<>();
        for (int node = 0; node < wiring.nodes(); node++) {
            if (!wiring.isSwitch(node)) {
                counts.add(wiring.portCount(node));
            }
        }
        return new EndnodePorts(counts.stream().mapToInt(Integer::intValue).toArray(), wiring.lmc());
    }

    /** The adapters and routers of a topology, which {@link io.verbena.fabric.node.TopologyWiring} numbers in this order. */
    static EndnodePorts of(Topology topology, int lmc) {
        return new EndnodePorts(
                nodes(topology).stream()
                        .mapToInt(node -> connected(topology, node))
                        .toArray(),
                lmc);
    }

    /** The nodes of a topology that are endnodes. */
    static List<Node> nodes(Topology topology) {
        return topology.nodes().stream()
                .filter(node -> !node.isSwitch() && connected(topology, node) > 0)
                .toList();
    }

    private static int connected(Topology topology, Node node) {
        int count = 0;
        for (int port = 1; port <= node.ports(); port++) {
            int peer = topology.peer(node.index(), port);
            count += peer >= 0 && topology.node(peer).isSwitch() ? 1 : 0;
        }
        return count;
    }

    int endnodes() {
        return first.length - 1;
    }

    /** Number of ports. */
    int numbers() {
        return endnodeOf.length - 1;
    }

    /** The number of the port of a LID. */
    int number(int lid) {
        return lid >>> lmc;
    }

    /** The first LID of a port. */
    int lidOfNumber(int number) {
        return number << lmc;
    }

    int endnodeOfNumber(int number) {
        return endnodeOf[number];
    }

    /** Whether a port has this LID. */
    boolean exists(int lid) {
        return lid >>> lmc > 0 && lid >>> lmc < endnodeOf.length;
    }

    int ports(int endnode) {
        return first[endnode + 1] - first[endnode];
    }

    /** Number of paths to each port: of its LIDs. */
    int paths() {
        return 1 << lmc;
    }

    /** The LID of a path to a port, both from 0 on. */
    int lid(int endnode, int port, int path) {
        return (first[endnode] + port << lmc) + path;
    }

    int endnodeOf(int lid) {
        return endnodeOf[lid >>> lmc];
    }

    /** Position of a port among those of its endnode, from 0 on. */
    int local(int lid) {
        return (lid >>> lmc) - first[endnodeOf(lid)];
    }

    /** The path of a LID, from 0 on. */
    int path(int lid) {
        return lid & (1 << lmc) - 1;
    }
}
