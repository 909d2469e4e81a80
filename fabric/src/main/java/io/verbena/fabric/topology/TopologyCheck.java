package io.verbena.fabric.topology;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds what is wrong with nodes and cables, as sentences. */
final class TopologyCheck {

    static final int MOST_NODES = 65_536;
    /** Port numbers are bytes, and 255 stands for all ports or none. */
    private static final int MOST_PORTS = 254;
    /** NodeDescription has 64 bytes; names of ibnetdiscover's map of names and identifications that make a name unique are longer. */
    private static final int LONGEST_NAME = 255;
    /** LIDs from 0xC000 on are multicast groups. */
    private static final int LAST_LID = 0xbfff;

    private static final int MOST_LMC = 7;
    private static final int LONGEST_METRES = 1_000_000;

    private final List<Node> nodes;
    private final List<Cable> cables;
    private final List<String> problems = new ArrayList<>();

    TopologyCheck(List<Node> nodes, List<Cable> cables) {
        this.nodes = nodes;
        this.cables = cables;
    }

    List<String> problems() {
        if (nodes.isEmpty()) {
            problem("The topology has no nodes");
        }
        if (nodes.size() > MOST_NODES) {
            problem("The topology has " + nodes.size() + " nodes; the maximum is " + MOST_NODES);
            return problems;
        }
        nodes.forEach(this::check);
        names();
        if (problems.isEmpty()) {
            ends();
        }
        if (problems.isEmpty()) {
            lids();
        }
        return problems;
    }

    private void problem(String sentence) {
        if (problems.size() < TopologyException.MOST) {
            problems.add(sentence);
        }
    }

    private void check(Node node) {
        String what = "Node '" + node.name() + "'";
        if (node.name().isBlank()
                || node.name().getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME
                || node.name().chars().anyMatch(Character::isISOControl)
                || !node.name().strip().equals(node.name())) {
            problem("The name '" + node.name() + "' is not 1 to " + LONGEST_NAME
                    + " bytes without control characters and outer spaces");
        }
        if (node.ports() < 1 || node.ports() > MOST_PORTS) {
            problem(what + " has " + node.ports() + " ports; 1 to " + MOST_PORTS + " are possible");
        }
        if (node.guid() == 0) {
            problem(what + " has no GUID");
        }
        int addresses = node.isSwitch() ? 1 : node.ports();
        if (node.addresses().size() != addresses) {
            problem(what + " has " + node.addresses().size() + " endports instead of " + addresses);
        }
        for (PortAddress address : node.addresses()) {
            if (address.lmc() < 0 || address.lmc() > MOST_LMC) {
                problem(what + " has the LMC " + address.lmc() + "; 0 to " + MOST_LMC + " are possible");
            } else if (address.lid() < 0 || address.lid() + address.lids() - 1 > LAST_LID) {
                problem(what + " has the LID " + address.lid() + "; 1 to " + LAST_LID + " are possible");
            } else if (address.lid() % address.lids() != 0) {
                problem(what + " has the LID " + address.lid() + ", which is no multiple of the " + address.lids()
                        + " LIDs that its LMC " + address.lmc() + " gives it");
            }
        }
    }

    private void names() {
        Map<String, Node> byName = new HashMap<>();
        Map<Long, Node> byGuid = new HashMap<>();
        Map<Long, Node> byPortGuid = new HashMap<>();
        for (Node node : nodes) {
            Node same = byName.putIfAbsent(node.name(), node);
            if (same != null) {
                problem("Two nodes have the name '" + node.name() + "': " + same.id() + " and " + node.id());
            }
            same = byGuid.putIfAbsent(node.guid(), node);
            if (same != null) {
                problem("The nodes '" + same.name() + "' and '" + node.name() + "' have the same GUID 0x"
                        + Node.hex(node.guid()));
            }
            for (PortAddress address : node.addresses()) {
                same = byPortGuid.putIfAbsent(address.guid(), node);
                // The planes of one adapter may share a port GUID.
                if (same != null && same != node) {
                    problem("Two ports have the port GUID 0x" + Node.hex(address.guid()) + ", one of '" + same.name()
                            + "' and one of '" + node.name() + "'");
                }
            }
        }
    }

    private void ends() {
        Map<Long, Cable> used = new HashMap<>();
        for (Cable cable : cables) {
            if (cable.lengthMetres() < 0 || cable.lengthMetres() > LONGEST_METRES) {
                problem("A cable has a length of " + cable.lengthMetres() + " m; 0 to " + LONGEST_METRES
                        + " are possible");
            }
            end(used, cable, cable.nodeA(), cable.portA());
            end(used, cable, cable.nodeB(), cable.portB());
        }
    }

    private void end(Map<Long, Cable> used, Cable cable, int node, int port) {
        if (node < 0 || node >= nodes.size()) {
            problem("A cable ends at a node that does not exist (index " + node + ")");
            return;
        }
        Node at = nodes.get(node);
        if (port < 1 || port > at.ports()) {
            problem("A cable ends at port " + port + " of '" + at.name() + "', which has ports 1 to " + at.ports());
            return;
        }
        if (used.putIfAbsent((long) node << 32 | port, cable) != null) {
            problem("Port " + port + " of '" + at.name() + "' has two cables");
        }
    }

    /** LIDs are unique in a subnet. A router ends a subnet: each of its ports belongs to the subnet of its cable. */
    private void lids() {
        int[] first = new int[nodes.size() + 1];
        for (Node node : nodes) {
            first[node.index() + 1] = first[node.index()] + node.addresses().size();
        }
        int[] group = new int[first[nodes.size()]];
        for (int i = 0; i < group.length; i++) {
            group[i] = i;
        }
        for (Cable cable : cables) {
            int a = root(group, first[cable.nodeA()] + endport(cable.nodeA(), cable.portA()));
            int b = root(group, first[cable.nodeB()] + endport(cable.nodeB(), cable.portB()));
            group[Math.max(a, b)] = Math.min(a, b);
        }
        Map<Long, Node> owners = new HashMap<>();
        for (Node node : nodes) {
            for (int i = 0; i < node.addresses().size(); i++) {
                PortAddress address = node.addresses().get(i);
                long subnet = root(group, first[node.index()] + i);
                for (int lid = address.lid(); address.lid() > 0 && lid < address.lid() + address.lids(); lid++) {
                    Node same = owners.putIfAbsent(subnet << 16 | lid, node);
                    if (same != null) {
                        problem("'" + same.name() + "' and '" + node.name() + "' have the same LID " + lid);
                    }
                }
            }
        }
    }

    private int endport(int node, int port) {
        return nodes.get(node).isSwitch() ? 0 : port - 1;
    }

    private static int root(int[] group, int i) {
        int at = i;
        while (group[at] != at) {
            group[at] = group[group[at]];
            at = group[at];
        }
        return at;
    }
}
