package io.verbena.fabric.topology;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Nodes and the cables between their ports. Immutable and valid: names and GUIDs are unique, LIDs are unique within a subnet,
 * every end of a cable exists, and no port has two cables.
 */
public final class Topology {

    private final List<Node> nodes;
    private final List<Cable> cables;
    private final int[][] cableAt;
    private final Map<String, Node> byName = new HashMap<>();
    private final Map<Long, Node> byGuid = new HashMap<>();

    /**
     * Checks everything.
     *
     * @throws TopologyException if something is wrong
     */
    public Topology(List<Node> nodes, List<Cable> cables) {
        this.nodes = List.copyOf(nodes);
        this.cables = cables.stream()
                .map(Cable::normalized)
                .sorted(Comparator.comparingInt(Cable::nodeA).thenComparingInt(Cable::portA))
                .toList();
        List<String> problems = new TopologyCheck(this.nodes, this.cables).problems();
        if (!problems.isEmpty()) {
            throw new TopologyException(problems);
        }
        cableAt = new int[this.nodes.size()][];
        for (Node node : this.nodes) {
            cableAt[node.index()] = new int[node.ports() + 1];
            Arrays.fill(cableAt[node.index()], -1);
            byName.put(node.name(), node);
            byGuid.put(node.guid(), node);
        }
        for (int i = 0; i < this.cables.size(); i++) {
            Cable cable = this.cables.get(i);
            cableAt[cable.nodeA()][cable.portA()] = i;
            cableAt[cable.nodeB()][cable.portB()] = i;
        }
    }

    /** All nodes; each is at the position of its index. */
    public List<Node> nodes() {
        return nodes;
    }

    /** All cables, by the node and port of their first end. */
    public List<Cable> cables() {
        return cables;
    }

    /** The node with this index. */
    public Node node(int index) {
        return nodes.get(index);
    }

    /** The nodes of one kind, in the order of their indexes. */
    public List<Node> nodes(NodeKind kind) {
        return nodes.stream().filter(node -> node.kind() == kind).toList();
    }

    /** The number of nodes of one kind. */
    public int count(NodeKind kind) {
        return (int) nodes.stream().filter(node -> node.kind() == kind).count();
    }

    /** Index of the cable at a port; -1 if the port is free, is port 0, or does not exist. */
    public int cableAt(int node, int port) {
        return port >= 0 && port < cableAt[node].length ? cableAt[node][port] : -1;
    }

    /** The node at the other end of a port's cable; -1 if the port is free. */
    public int peer(int node, int port) {
        int cable = cableAt(node, port);
        return cable < 0 ? -1 : cables.get(cable).peerOf(node, port);
    }

    /** The port at the other end of a port's cable; -1 if the port is free. */
    public int peerPort(int node, int port) {
        int cable = cableAt(node, port);
        return cable < 0 ? -1 : cables.get(cable).peerPortOf(node, port);
    }

    /** The node with a name, an identification such as {@code S-0002c90300a1b2c3}, or a GUID such as {@code 0x2c90300a1b2c3}. */
    public Optional<Node> find(String text) {
        Node named = byName.get(text);
        if (named != null) {
            return Optional.of(named);
        }
        String digits = text.matches("[SHR]-[0-9a-fA-F]{16}") ? text.substring(2) : text.replaceFirst("^0[xX]", "");
        if (!digits.matches("[0-9a-fA-F]{1,16}")) {
            return Optional.empty();
        }
        return Optional.ofNullable(byGuid.get(Long.parseUnsignedLong(digits, 16)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Topology that && nodes.equals(that.nodes) && cables.equals(that.cables);
    }

    @Override
    public int hashCode() {
        return 31 * nodes.hashCode() + cables.hashCode();
    }

    @Override
    public String toString() {
        return count(NodeKind.ADAPTER) + " adapters, " + count(NodeKind.SWITCH) + " switches, " + count(NodeKind.ROUTER)
                + " routers, " + cables.size() + " cables";
    }
}
