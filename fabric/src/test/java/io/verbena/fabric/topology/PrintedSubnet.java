package io.verbena.fabric.topology;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Prints a topology as the programs do that describe real subnets, with any of their options. Source of the forms: the output functions of
 * ibnetdiscover in rdma-core, and the comments in the example files of ibsim.
 */
final class PrintedSubnet {

    /** What changes the text of ibnetdiscover. */
    enum Option {
        /** {@code -g}: chassis, their slots and external ports. */
        GROUPING,
        /** {@code -f}: codes of speed and width. */
        FULL,
        /** {@code -m}: two more comments. */
        MAX_HOPS,
        /** {@code -s}: a line for each node that is found, before the topology. */
        SHOW,
        /** Both streams were redirected to the file, and some queries timed out. */
        STANDARD_ERROR,
        /** Enhanced port 0 of switches. */
        ENHANCED,
        /** Adapters and switches of Xsigo, which are marked with -g. */
        MARKS,
        BYTE_ORDER_MARK,
        CARRIAGE_RETURNS
    }

    private final Topology topology;
    private final Set<Option> options;
    private final String rate;
    private final StringBuilder out = new StringBuilder();

    private PrintedSubnet(Topology topology, Set<Option> options, String rate) {
        this.topology = topology;
        this.options = options;
        this.rate = rate;
    }

    /** The topology that {@code ibnetdiscover} prints. */
    static String print(Topology topology, Set<Option> options) {
        return print(topology, options, "");
    }

    /** The same with another text in the place of each rate. */
    static String print(Topology topology, Set<Option> options, String rate) {
        PrintedSubnet printed = new PrintedSubnet(topology, options, rate);
        printed.header();
        if (options.contains(Option.GROUPING)) {
            printed.grouped();
        } else {
            for (NodeKind kind : EnumSet.of(NodeKind.SWITCH, NodeKind.ADAPTER, NodeKind.ROUTER)) {
                topology.nodes(kind).forEach(printed::node);
            }
        }
        String text = printed.out.toString();
        if (options.contains(Option.CARRIAGE_RETURNS)) {
            text = text.replace("\n", "\r\n");
        }
        return options.contains(Option.BYTE_ORDER_MARK) ? "\uFEFF" + text : text;
    }

    /** Nodes of one enclosure form a chassis, switches first. Its routers are not printed. */
    private void grouped() {
        Set<Integer> printed = new HashSet<>();
        Set<Long> enclosures = new HashSet<>();
        int chassis = 0;
        for (Node node : topology.nodes()) {
            long system = node.identity().systemGuid();
            if (nodesOf(system) < 2 || !enclosures.add(system)) {
                continue;
            }
            line("\nChassis %d (guid 0x%x)", ++chassis, system);
            if (options.contains(Option.MARKS)) {
                line("Hostname: %s", node.identity().description());
            }
            for (String part : new String[] {"Spine Nodes", "Line Nodes", "Chassis Switches", "Chassis CAs"}) {
                out.append("\n# ").append(part);
                for (Node member : topology.nodes()) {
                    boolean here = part.equals(member.isSwitch() ? "Chassis Switches" : "Chassis CAs");
                    if (here && member.identity().systemGuid() == system && member.kind() != NodeKind.ROUTER) {
                        node(member);
                    }
                    if (member.identity().systemGuid() == system) {
                        printed.add(member.index());
                    }
                }
            }
        }
        line("\nNon-Chassis Nodes");
        for (NodeKind kind : EnumSet.of(NodeKind.SWITCH, NodeKind.ADAPTER, NodeKind.ROUTER)) {
            topology.nodes(kind).stream()
                    .filter(node -> !printed.contains(node.index()))
                    .forEach(this::node);
        }
    }

    private long nodesOf(long system) {
        return topology.nodes().stream()
                .filter(node -> node.identity().systemGuid() == system)
                .count();
    }

    private void line(String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private void header() {
        Node first = topology.node(0);
        if (options.contains(Option.SHOW)) {
            for (Node node : topology.nodes()) {
                line(
                        "DR path slid 0; dlid 0; 0,1,%d -> new %s {%016x} portnum 0 lid 1-1 \"%s\"",
                        node.index() % 64,
                        node.isSwitch() ? "switch" : "ca",
                        node.guid(),
                        node.identity().description());
            }
        }
        if (options.contains(Option.STANDARD_ERROR)) {
            line("src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad status 110;"
                    + " Connection timed out");
            line("ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1,1,31)");
        }
        line("#\n# Topology file: generated on Mon Mar  2 09:00:00 2026\n#");
        if (options.contains(Option.MAX_HOPS)) {
            line("# Reported max hops discovered: 5\n# Total MADs used: 1234");
        }
        line("# Initiated from node %016x port %016x", first.guid(), first.guid());
    }

    private boolean groups() {
        return options.contains(Option.GROUPING);
    }

    private void node(Node node) {
        Identity identity = node.identity();
        boolean chassis = groups() && nodesOf(identity.systemGuid()) > 1;
        line("\nvendid=0x%x", identity.vendor());
        line("devid=0x%x", identity.device());
        line("sysimgguid=0x%x%s", identity.systemGuid(), chassis ? "\t\t# Chassis 1 (a \"chassis\") slot 3" : "");
        if (node.isSwitch()) {
            line(
                    "switchguid=0x%x(%x)%s",
                    node.guid(),
                    node.address(0).guid(),
                    groups() ? "\t# " + (chassis ? "ISR2012/ISR2004 Voltaire sLB-2024 Line 3 Chip 1" : "") : "");
            line(
                    "Switch\t%d \"%s\"\t\t# \"%s\" %s port 0 lid %d lmc %d",
                    node.ports(),
                    node.id(),
                    identity.description(),
                    options.contains(Option.ENHANCED) ? "enhanced" : "base",
                    node.address(0).lid(),
                    node.address(0).lmc());
        } else {
            boolean router = node.kind() == NodeKind.ROUTER;
            line("%sguid=0x%x", router ? "rt" : "ca", node.guid());
            String mark = groups() && options.contains(Option.MARKS) ? " (scp)" : "";
            line(
                    "%s\t%d \"%s\"\t\t# \"%s\"%s",
                    router ? "Rt" : "Ca", node.ports(), node.id(), identity.description(), mark);
        }
        for (int port = 1; port <= node.ports(); port++) {
            if (topology.peer(node.index(), port) >= 0) {
                port(node, port);
            }
        }
    }

    private void port(Node node, int port) {
        Node peer = topology.node(topology.peer(node.index(), port));
        int peerPort = topology.peerPort(node.index(), port);
        LinkRate active =
                topology.cables().get(topology.cableAt(node.index(), port)).rate();
        String remote = String.format(
                Locale.ROOT,
                "\"%s\" lid %d %s",
                peer.identity().description(),
                peer.address(peerPort).lid(),
                rate.isEmpty() ? active.toString() : rate);
        String full = options.contains(Option.FULL) ? " s=4 w=2 v=4" : "";
        if (node.isSwitch()) {
            line(
                    "[%d]%s\t\"%s\"[%d]%s%s\t\t# %s%s%s",
                    port,
                    groups() ? "[ext " + port + "]" : "",
                    peer.id(),
                    peerPort,
                    groups() && peer.isSwitch() ? "[ext " + peerPort + "]" : "",
                    peer.isSwitch()
                            ? ""
                            : String.format("(%x) ", peer.address(peerPort).guid()),
                    remote,
                    full,
                    options.contains(Option.MARKS) ? port % 2 == 0 ? " slot " + port : " (scp)" : "");
        } else {
            PortAddress own = node.address(port);
            line(
                    "[%d](%x) \t\"%s\"[%d]%s%s\t\t# lid %d lmc %d %s%s",
                    port,
                    own.guid(),
                    peer.id(),
                    peerPort,
                    groups() && peer.isSwitch() ? "[ext " + peerPort + "]" : "",
                    peer.isSwitch()
                            ? ""
                            : String.format(" (%x) ", peer.address(peerPort).guid()),
                    own.lid(),
                    own.lmc(),
                    remote,
                    full);
        }
    }

    /** The report of {@code ibnetdiscover -p}. */
    static String report(Topology topology) {
        StringBuilder out = new StringBuilder();
        for (Node node : topology.nodes()) {
            for (int port = node.ports(); port > 0; port--) {
                int at = topology.peer(node.index(), port);
                out.append(end(node, port)).append(' ');
                if (at < 0) {
                    out.append(String.format(
                            "4x SDR%36s'%s'%n", "", node.identity().description()));
                    continue;
                }
                Node peer = topology.node(at);
                int cable = topology.cableAt(node.index(), port);
                String rate = topology.cables().get(cable).rate().toString();
                out.append(rate.replace("x", "x ").replace("x DR", "xDR"))
                        .append(" - ")
                        .append(end(peer, topology.peerPort(node.index(), port)))
                        .append(String.format(
                                " ( '%s' - '%s' )%n",
                                node.identity().description(), peer.identity().description()));
            }
        }
        return out.toString();
    }

    private static String end(Node node, int port) {
        PortAddress address = node.address(port);
        String kind = node.isSwitch() ? "SW" : node.kind() == NodeKind.ADAPTER ? "CA" : "RT";
        return String.format("%2s %5d %2d 0x%016x", kind, address.lid(), port, address.guid());
    }

    /** The list of {@code ibnetdiscover -l}. */
    static String list(Topology topology) {
        StringBuilder out = new StringBuilder();
        for (Node node : topology.nodes()) {
            String kind = node.isSwitch() ? "Switch" : node.kind() == NodeKind.ADAPTER ? "Ca" : "Router";
            Identity identity = node.identity();
            out.append(String.format(
                    "%s\t : 0x%016x ports %d devid 0x%x vendid 0x%x \"%s\"%n",
                    kind, node.guid(), node.ports(), identity.device(), identity.vendor(), identity.description()));
        }
        return out.toString();
    }
}
