package io.verbena.tools.fabric;

import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Topology;

/** The names of what a wiring consists of, and its numbers in the topology. */
public final class FabricNames {

    private final Topology topology;
    private final Wiring wiring;
    private final NodeNames names;

    /** The names of a wiring of a topology. */
    public FabricNames(Topology topology, Wiring wiring) {
        this.topology = topology;
        this.wiring = wiring;
        names = new NodeNames(topology, wiring);
    }

    public Topology topology() {
        return topology;
    }

    public Wiring wiring() {
        return wiring;
    }

    /** The index in the topology of a node of the wiring. */
    public int index(int node) {
        return names.nodeOf(node);
    }

    String node(int node) {
        return topology.node(index(node)).name();
    }

    /** Both ends of a port's link. */
    String link(int port) {
        return node(wiring.nodeOf(port)) + " to " + node(wiring.nodeOf(wiring.peer(port)));
    }
}
