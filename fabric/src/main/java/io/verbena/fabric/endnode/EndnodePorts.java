package io.verbena.fabric.endnode;

import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which ports (LLEs) belong to which endnode (SANIC). The ports of an endnode have consecutive LIDs. */
final class EndnodePorts {

    private final int[] firstLid;
    private final int[] endnodeOf;

    /** @param counts number of connected ports of each endnode, in the order of the LIDs */
    private EndnodePorts(int[] counts) {
        firstLid = new int[counts.length + 1];
        firstLid[0] = 1;
        for (int i = 0; i < counts.length; i++) {
            firstLid[i + 1] = firstLid[i] + counts[i];
        }
        endnodeOf = new int[firstLid[counts.length]];
        for (int i = 0; i < counts.length; i++) {
            Arrays.fill(endnodeOf, firstLid[i], firstLid[i + 1], i);
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
        return new EndnodePorts(counts.stream().mapToInt(Integer::intValue).toArray());
    }

    /** The adapters and routers of a topology, which {@link io.verbena.fabric.node.TopologyWiring} numbers in this order. */
    static EndnodePorts of(Topology topology) {
        return new EndnodePorts(topology.nodes().stream()
                .filter(node -> !node.isSwitch())
                .mapToInt(node -> connected(topology, node))
                .filter(count -> count > 0)
                .toArray());
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
        return firstLid.length - 1;
    }

    int lids() {
        return endnodeOf.length - 1;
    }

    int firstLid(int endnode) {
        return firstLid[endnode];
    }

    int ports(int endnode) {
        return firstLid[endnode + 1] - firstLid[endnode];
    }

    int endnodeOf(int lid) {
        return endnodeOf[lid];
    }

    /** Position of a port among those of its endnode, from 0 on. */
    int local(int lid) {
        return lid - firstLid[endnodeOf[lid]];
    }
}
