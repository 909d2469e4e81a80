package io.verbena.fabric.routing;

import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * The way of a packet from an endport to a LID.
 *
 * @param hops the output ports that it takes, from that of the source on
 * @param arrived whether it reaches the LID
 * @param problem why it does not; empty if it does
 */
public record Path(List<Hop> hops, boolean arrived, String problem) {

    /** More hops than any sensible path has: a packet that takes them is in a loop. */
    public static final int MOST_HOPS = 64;

    /** One output port with the virtual lane. */
    public record Hop(int node, int port, int virtualLane) {}

    /** Copies the list. */
    public Path {
        hops = List.copyOf(hops);
    }

    /** Follows the forwarding tables. */
    public static Path follow(Topology topology, Routes routes, int node, int port, int dlid) {
        List<Hop> hops = new ArrayList<>();
        int serviceLevel = routes.serviceLevel(node, port, dlid);
        int at = node;
        int in = 0;
        while (!owns(topology, routes, at, in == 0 && at == node ? port : in, dlid)) {
            boolean first = hops.isEmpty();
            boolean forwards = topology.node(at).isSwitch();
            int out = forwards ? routes.outputPort(at, dlid) : first ? port : 0;
            int cable = out == 0 ? -1 : topology.cableAt(at, out);
            if (cable < 0 || !routes.usable(cable)) {
                String name = "'" + topology.node(at).name() + "'";
                return new Path(
                        hops,
                        false,
                        out == 0 || out == 255
                                ? name + " has no output port for LID " + dlid
                                : "port " + out + " of " + name + " has no link");
            }
            if (hops.size() == MOST_HOPS) {
                return new Path(
                        hops,
                        false,
                        "LID " + dlid + " is not reached after " + MOST_HOPS + " hops: the tables contain a loop");
            }
            hops.add(new Hop(at, out, routes.virtualLane(at, in, out, serviceLevel)));
            in = topology.peerPort(at, out);
            at = topology.peer(at, out);
        }
        return new Path(hops, true, "");
    }

    private static boolean owns(Topology topology, Routes routes, int node, int port, int dlid) {
        int base = routes.lid(node, topology.node(node).isSwitch() ? 0 : port);
        int lmc = routes.lmc(node, topology.node(node).isSwitch() ? 0 : port);
        return base != 0 && dlid >= base && dlid < base + (1 << lmc);
    }

    /** The nodes and ports, such as {@code h0 sanic-1:1 > leaf-0:5 > spine-2:3}. */
    public String text(Topology topology) {
        StringBuilder out = new StringBuilder();
        for (Hop hop : hops) {
            out.append(out.isEmpty() ? "" : " > ");
            out.append(topology.node(hop.node()).name()).append(':').append(hop.port());
        }
        return out.toString();
    }
}
