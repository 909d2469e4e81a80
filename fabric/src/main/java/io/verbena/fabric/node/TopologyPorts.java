package io.verbena.fabric.node;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.Arrays;

/** The ports of a topology's nodes in its {@link TopologyWiring}. Switches of both have the same order. */
public final class TopologyPorts {

    private static final int NONE = -1;

    private final int[][] ports;
    private final int[] nodeOf;
    private final int[] localOf;
    private final int[] switchOf;

    /** The ports of a wiring that was made of the topology. */
    public TopologyPorts(Topology topology, Wiring wiring) {
        ports = new int[topology.nodes().size()][];
        for (Node node : topology.nodes()) {
            ports[node.index()] = new int[node.ports() + 1];
            Arrays.fill(ports[node.index()], NONE);
        }
        nodeOf = new int[wiring.ports()];
        localOf = new int[wiring.ports()];
        switchOf = new int[ports.length];
        Arrays.fill(nodeOf, NONE);
        Arrays.fill(switchOf, NONE);
        int number = 0;
        for (Node node : topology.nodes()) {
            for (int port = 1; port <= node.ports() && node.isSwitch(); port++) {
                int own = wiring.port(number, port);
                int peer = topology.peer(node.index(), port);
                if (wiring.peer(own) >= 0 && peer >= 0) {
                    put(node.index(), port, own);
                    put(peer, topology.peerPort(node.index(), port), wiring.peer(own));
                }
            }
            switchOf[node.index()] = node.isSwitch() ? number++ : NONE;
        }
    }

    private void put(int node, int port, int number) {
        ports[node][port] = number;
        nodeOf[number] = node;
        localOf[number] = port;
    }

    /** The number in the fabric of a node's port; -1 if it is not connected there. */
    public int port(int node, int port) {
        return ports[node][port];
    }

    /** The number in the wiring of a switch; -1 for other nodes. */
    public int switchNumber(int node) {
        return switchOf[node];
    }

    /** The node of the topology that has a port of the fabric; -1 if the port is not connected. */
    public int nodeOf(int port) {
        return nodeOf[port];
    }

    /** The number at its node of a port of the fabric. */
    public int localOf(int port) {
        return localOf[port];
    }
}
