package io.verbena.fabric.routing;

import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import java.util.Locale;

/** Writes a subnet and its forwarding tables as OpenSM does, for the checker {@code ibdmchk} of ibutils. */
public final class RouteDump {

    private static final int NONE = 255;

    private RouteDump() {}

    /** The contents of {@code opensm-subnet.lst}: a line for each end of a cable between addressed ports. */
    public static String subnet(Topology topology, Routes routes) {
        StringBuilder out = new StringBuilder();
        for (Cable cable : topology.cables()) {
            if (addressed(topology, routes, cable.nodeA(), cable.portA())
                    && addressed(topology, routes, cable.nodeB(), cable.portB())) {
                line(out, topology, routes, cable.nodeA(), cable.portA());
                line(out, topology, routes, cable.nodeB(), cable.portB());
            }
        }
        return out.toString();
    }

    private static boolean addressed(Topology topology, Routes routes, int node, int port) {
        return routes.lid(node, topology.node(node).isSwitch() ? 0 : port) != 0;
    }

    private static void line(StringBuilder out, Topology topology, Routes routes, int node, int port) {
        end(out, topology, routes, node, port);
        out.append(' ');
        end(out, topology, routes, topology.peer(node, port), topology.peerPort(node, port));
        out.append(" PHY=4x LOG=ACT SPD=25\n");
    }

    private static void end(StringBuilder out, Topology topology, Routes routes, int index, int port) {
        Node node = topology.node(index);
        out.append(String.format(
                Locale.ROOT,
                "{ %s Ports:%02x SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:%06x DevID:%04x Rev:00000000 {%s} LID:%04x PN:%02x }",
                // ibdmchk has no other word for a router.
                node.isSwitch() ? "SW" : "CA",
                node.ports(),
                node.identity().systemGuid(),
                node.guid(),
                node.address(port).guid(),
                node.identity().vendor(),
                node.identity().device(),
                node.name(),
                routes.lid(index, node.isSwitch() ? 0 : port),
                port));
    }

    /** The contents of {@code opensm.fdbs}: the forwarding table of each switch, up to this LID. */
    public static String tables(Topology topology, Routes routes, int topLid) {
        StringBuilder out = new StringBuilder();
        for (Node node : topology.nodes(NodeKind.SWITCH)) {
            if (routes.lid(node.index(), 0) == 0) {
                continue;
            }
            out.append(String.format(Locale.ROOT, "dump_ucast_routes: Switch 0x%016x%n", node.guid()));
            out.append("LID    : Port : Hops : Optimal\n");
            for (int lid = 1; lid <= topLid; lid++) {
                int port = routes.outputPort(node.index(), lid);
                out.append(
                        port == NONE
                                ? String.format(Locale.ROOT, "0x%04x : UNREACHABLE%n", lid)
                                : String.format(Locale.ROOT, "0x%04x : %03d  : 00   : yes%n", lid, port));
            }
            out.append('\n');
        }
        return out.toString();
    }
}
