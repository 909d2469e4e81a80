package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Builds a topology node by node. Methods that add nodes return their indexes. GUIDs are assigned in order, so the same calls give
 * the same topology.
 */
public final class TopologyBuilder {

    /** A locally administered EUI-64; kind, number and port follow. */
    private static final long GUIDS = 0x0a56_4200_0000_0000L;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Cable> cables = new ArrayList<>();
    private final List<Integer> nextPort = new ArrayList<>();
    private final LinkRate rate;
    private final int lengthMetres;
    private AdapterKind adapters = AdapterKind.HOST;

    /** A builder whose cables are 4xEDR and 3 m long unless stated otherwise. */
    public TopologyBuilder() {
        this(LinkRate.DEFAULT, Cable.DEFAULT_METRES);
    }

    /** A builder whose cables have this rate and length unless stated otherwise. */
    public TopologyBuilder(LinkRate rate, int lengthMetres) {
        this.rate = rate;
        this.lengthMetres = lengthMetres;
    }

    /** Adapters that are added from now on are of this kind. */
    public TopologyBuilder adapters(AdapterKind kind) {
        adapters = kind;
        return this;
    }

    /** Adds an adapter. The first word of its name is its host. */
    public int adapter(String name, int ports) {
        return add(NodeKind.ADAPTER, name, ports, OWN_SYSTEM);
    }

    /** Adds a switch. */
    public int switchNode(String name, int ports) {
        return add(NodeKind.SWITCH, name, ports, OWN_SYSTEM);
    }

    /** Adds a router. */
    public int router(String name, int ports) {
        return add(NodeKind.ROUTER, name, ports, OWN_SYSTEM);
    }

    /** Adds a host: as many adapters (SANICs) as stated, with as many ports each. */
    public int[] host(String name, int sanics, int portsEach) {
        int[] indexes = new int[sanics];
        long system = OWN_SYSTEM;
        for (int i = 0; i < sanics; i++) {
            indexes[i] = add(NodeKind.ADAPTER, name + " sanic-" + (i + 1), portsEach, system);
            system = nodes.get(indexes[0]).guid();
        }
        return indexes;
    }

    /**
     * Adds an I/O unit: a backplane with a switch, and one adapter per card, which is connected to it. Returns the index of the
     * switch, which has {@code uplinks} free ports; the cards follow it.
     */
    public int ioUnit(String name, int cards, int uplinks) {
        int backplane = switchNode(name + " backplane", cards + uplinks);
        for (int i = 1; i <= cards; i++) {
            int card = add(
                    NodeKind.ADAPTER,
                    name + " card-" + i,
                    1,
                    nodes.get(backplane).guid());
            cable(card, 1, backplane, i, rate, 0);
        }
        return backplane;
    }

    /** Connects the next free ports of two nodes. */
    public TopologyBuilder cable(int a, int b) {
        int portA = nextPort.get(a);
        nextPort.set(a, portA + 1);
        int portB = nextPort.get(b);
        return cable(a, portA, b, portB);
    }

    /** Connects two ports. */
    public TopologyBuilder cable(int a, int portA, int b, int portB) {
        return cable(a, portA, b, portB, rate, lengthMetres);
    }

    /** Connects two ports by a cable of this rate and length. */
    public TopologyBuilder cable(int a, int portA, int b, int portB, LinkRate cableRate, int cableMetres) {
        cables.add(new Cable(a, portA, b, portB, cableRate, cableMetres));
        nextPort.set(a, Math.max(nextPort.get(a), portA + 1));
        nextPort.set(b, Math.max(nextPort.get(b), portB + 1));
        return this;
    }

    /**
     * The topology.
     *
     * @throws TopologyException if it is not valid
     */
    public Topology build() {
        return new Topology(nodes, cables);
    }

    private static final long OWN_SYSTEM = 0;

    private int add(NodeKind kind, String name, int ports, long system) {
        int index = nodes.size();
        if (index == TopologyCheck.MOST_NODES) {
            throw new TopologyException("The topology has more nodes than the maximum of " + index);
        }
        long guid = GUIDS | (long) kind.code() << 32 | (long) (index + 1) << 8;
        List<PortAddress> addresses = new ArrayList<>();
        if (kind == NodeKind.SWITCH) {
            addresses.add(new PortAddress(guid, 0, 0));
        }
        for (int port = 1; kind != NodeKind.SWITCH && port <= ports; port++) {
            addresses.add(new PortAddress(guid + port, 0, 0));
        }
        int device = kind == NodeKind.ADAPTER ? adapters.device(kind.code()) : kind.code();
        Identity identity = new Identity(guid, system == OWN_SYSTEM ? guid : system, 0, device, name);
        nodes.add(new Node(index, kind, name, identity, ports, addresses));
        nextPort.add(1);
        return index;
    }
}
