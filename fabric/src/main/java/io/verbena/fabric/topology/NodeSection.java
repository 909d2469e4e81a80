package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a text says about one node: the line of the node, and a line for each port with a cable. */
final class NodeSection {

    /**
     * A line of a port: where its cable leads.
     *
     * @param where the line, for messages
     * @param peer identification of the node at the other end
     * @param peerPort port at the other end
     * @param rate what the line states about the rate
     * @param lengthMetres length of the cable
     * @param address addresses of this port
     */
    record Lead(String where, String peer, int peerPort, StatedRate rate, int lengthMetres, PortAddress address) {}

    final NodeKind kind;
    final String id;
    final int ports;
    final Map<Integer, Lead> leads = new LinkedHashMap<>();
    int index;
    Identity identity;
    /** The addresses of port 0 of a switch. */
    PortAddress base;

    NodeSection(NodeKind kind, String id, int ports, Identity identity, PortAddress base) {
        this.kind = kind;
        this.id = id;
        this.ports = ports;
        this.identity = identity;
        this.base = base;
    }

    /** Name of the node in messages about the text. */
    String label() {
        String label = NodeLabels.clean(identity.description());
        return label.isEmpty() ? id : label;
    }

    Node node(String name) {
        List<PortAddress> addresses = new ArrayList<>();
        if (kind == NodeKind.SWITCH) {
            addresses.add(base);
        }
        for (int port = 1; kind != NodeKind.SWITCH && port <= Math.min(ports, 255); port++) {
            Lead lead = leads.get(port);
            addresses.add(lead != null ? lead.address() : new PortAddress(identity.guid() + port, 0, 0));
        }
        return new Node(index, kind, name, identity, ports, addresses);
    }
}
