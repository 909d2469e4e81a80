package io.verbena.fabric.topology;

/**
 * Writes a topology as the text that ibnetdiscover prints. The length of a cable, which ibnetdiscover does not know, follows in
 * the comment of its line if it is not the usual one.
 */
public final class NetDiscoverWriter {

    private NetDiscoverWriter() {}

    /** The text. {@link NetDiscoverReader} reads it back to an equal topology. */
    public static String write(Topology topology) {
        StringBuilder out = new StringBuilder("#\n# Topology file: " + topology + "\n#\n");
        for (Node node : topology.nodes()) {
            section(out, topology, node);
        }
        return out.toString();
    }

    private static void section(StringBuilder out, Topology topology, Node node) {
        out.append("\nvendid=0x").append(Integer.toHexString(node.identity().vendor()));
        out.append("\ndevid=0x").append(Integer.toHexString(node.identity().device()));
        out.append("\nsysimgguid=0x").append(Long.toHexString(node.identity().systemGuid()));
        out.append('\n').append(guidWord(node.kind())).append("guid=0x").append(Long.toHexString(node.guid()));
        if (node.isSwitch()) {
            out.append('(').append(Long.toHexString(node.address(0).guid())).append(')');
        }
        out.append('\n').append(node.kind().word()).append('\t').append(node.ports());
        out.append(" \"")
                .append(node.id())
                .append("\"\t\t# \"")
                .append(node.identity().description())
                .append('"');
        if (node.isSwitch()) {
            PortAddress address = node.address(0);
            out.append(" base port 0 lid ")
                    .append(address.lid())
                    .append(" lmc ")
                    .append(address.lmc());
        }
        out.append('\n');
        for (int port = 1; port <= node.ports(); port++) {
            int index = topology.cableAt(node.index(), port);
            if (index >= 0) {
                line(out, topology, node, port, topology.cables().get(index));
            }
        }
    }

    private static void line(StringBuilder out, Topology topology, Node node, int port, Cable cable) {
        Node peer = topology.node(cable.peerOf(node.index(), port));
        int peerPort = cable.peerPortOf(node.index(), port);
        out.append('[').append(port).append(']');
        if (!node.isSwitch()) {
            out.append('(').append(Long.toHexString(node.address(port).guid())).append(") ");
        }
        out.append("\t\"").append(peer.id()).append("\"[").append(peerPort).append(']');
        if (!peer.isSwitch()) {
            out.append('(')
                    .append(Long.toHexString(peer.address(peerPort).guid()))
                    .append(") ");
        }
        out.append("\t\t#");
        if (!node.isSwitch()) {
            PortAddress address = node.address(port);
            out.append(" lid ").append(address.lid()).append(" lmc ").append(address.lmc());
        }
        out.append(" \"")
                .append(peer.identity().description())
                .append("\" lid ")
                .append(peer.address(peerPort).lid());
        out.append(' ').append(cable.rate());
        if (cable.lengthMetres() != Cable.DEFAULT_METRES) {
            out.append(' ').append(cable.lengthMetres()).append('m');
        }
        out.append('\n');
    }

    private static String guidWord(NodeKind kind) {
        return switch (kind) {
            case ADAPTER -> "ca";
            case SWITCH -> "switch";
            case ROUTER -> "rt";
        };
    }
}
