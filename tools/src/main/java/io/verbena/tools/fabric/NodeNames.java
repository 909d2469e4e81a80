package io.verbena.tools.fabric;

import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** The names of a wiring's nodes. Its switches have the order of the topology, and so have the connected ports of all other nodes. */
public final class NodeNames {

    private final Topology topology;
    private final int[] nodeOf;

    /** The names of the wiring of a topology. */
    public NodeNames(Topology topology, Wiring wiring) {
        this.topology = topology;
        nodeOf = new int[wiring.nodes()];
        Iterator<Node> switches =
                topology.nodes().stream().filter(Node::isSwitch).iterator();
        for (int n = 0; n < nodeOf.length; n++) {
            nodeOf[n] = wiring.isSwitch(n) ? switches.next().index() : -1;
        }
        int[] endports = wiring.endports();
        int next = 0;
        for (Node node : topology.nodes()) {
            for (int port = 1; port <= node.ports() && !node.isSwitch(); port++) {
                int peer = topology.peer(node.index(), port);
                if (peer >= 0 && topology.node(peer).isSwitch() && next < endports.length) {
                    nodeOf[wiring.nodeOf(endports[next++])] = node.index();
                }
            }
        }
    }

    /** Index in the topology of a node of the wiring. */
    public int nodeOf(int wired) {
        return nodeOf[wired];
    }

    /**
     * The nodes of the wiring with a name, or in the host or enclosure of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public List<Integer> nodes(String name) {
        List<Integer> found = IntStream.range(0, nodeOf.length)
                .filter(n -> nodeOf[n] >= 0 && named(topology.node(nodeOf[n]), name))
                .boxed()
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "the fabric has no node '" + name + "'; its nodes are " + examples() + ", …");
        }
        return found;
    }

    private static boolean named(Node node, String name) {
        return node.name().equals(name) || node.unit().equals(name);
    }

    private String examples() {
        List<String> names = new ArrayList<>();
        for (boolean wanted : new boolean[] {true, false}) {
            topology.nodes().stream()
                    .filter(node -> node.isSwitch() == wanted)
                    .limit(2)
                    .forEach(node -> names.add("'" + node.name() + "'"));
        }
        return String.join(", ", names);
    }

    /** The number of the endnode with a name, or the first one of a host or enclosure: adapters and routers with a link, in their order. */
    public int endnode(String name) {
        return endnodes(name).getFirst();
    }

    /**
     * The numbers of the endnodes with a name, or in the host or enclosure of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public List<Integer> endnodes(String name) {
        List<Integer> found = new ArrayList<>();
        int number = 0;
        for (Node node : topology.nodes()) {
            boolean connected = !node.isSwitch()
                    && IntStream.rangeClosed(1, node.ports())
                            .map(port -> topology.peer(node.index(), port))
                            .anyMatch(peer -> peer >= 0 && topology.node(peer).isSwitch());
            if (connected && named(node, name)) {
                found.add(number);
            }
            number += connected ? 1 : 0;
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("the fabric has no endnode '" + name + "' with a link");
        }
        return found;
    }
}
