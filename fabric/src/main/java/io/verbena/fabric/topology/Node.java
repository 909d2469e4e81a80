package io.verbena.fabric.topology;

import java.util.List;

/**
 * A switch, a router, or an adapter: the SANIC of a host, an I/O card, a RAID subsystem.
 *
 * @param index its position in {@link Topology#nodes}
 * @param kind what it is
 * @param name its name in the topology, unique: its description, followed by {@link #id} if other nodes have the same one; the first word
 *     names the host or the enclosure that contains it
 * @param identity its GUIDs and its type
 * @param ports the number of its external ports (LLEs), which are numbered from 1
 * @param addresses the names of its endports: of port 0 of a switch, of port 1 and following of other nodes
 */
public record Node(int index, NodeKind kind, String name, Identity identity, int ports, List<PortAddress> addresses) {

    /** Copies the list. */
    public Node {
        addresses = List.copyOf(addresses);
    }

    /** The node GUID. */
    public long guid() {
        return identity.guid();
    }

    /** Whether the node is a switch. */
    public boolean isSwitch() {
        return kind == NodeKind.SWITCH;
    }

    /**
     * The host or the enclosure that contains the node: the first word of its name, or the whole name if the description says nothing
     * about this one node.
     */
    public String unit() {
        int space = name.indexOf(' ');
        return space < 0 || name.endsWith(" " + id()) ? name : name.substring(0, space);
    }

    /** The names of the endport that a port belongs to: its own, or those of port 0 of a switch. */
    public PortAddress address(int port) {
        return isSwitch() ? addresses.getFirst() : addresses.get(port - 1);
    }

    /** The identification in ibnetdiscover's text: a letter and the GUID. */
    public String id() {
        return kind.letter() + "-" + hex(guid());
    }

    static String hex(long guid) {
        return String.format("%016x", guid);
    }
}
