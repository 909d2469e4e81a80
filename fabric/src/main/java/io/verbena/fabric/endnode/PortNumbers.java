package io.verbena.fabric.endnode;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.PortAddress;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/** Gives the ports of a topology the LIDs that they have in its wiring, so that a subnet manager keeps them. */
final class PortNumbers {

    private PortNumbers() {}

    /** The same topology with these LIDs. Those of switches are left to the manager. */
    static Topology numbered(Topology topology, int lmc) {
        List<Node> nodes = new ArrayList<>();
        int next = 1;
        for (Node node : topology.nodes()) {
            List<PortAddress> addresses = new ArrayList<>();
            for (int i = 0; i < node.addresses().size(); i++) {
                int peer = node.isSwitch() ? -1 : topology.peer(node.index(), i + 1);
                boolean endport = peer >= 0 && topology.node(peer).isSwitch();
                int lid = endport ? next++ << lmc : 0;
                addresses.add(new PortAddress(node.addresses().get(i).guid(), lid, endport ? lmc : 0));
            }
            nodes.add(new Node(node.index(), node.kind(), node.name(), node.identity(), node.ports(), addresses));
        }
        return new Topology(nodes, topology.cables());
    }
}
