package io.verbena.tools.fabric;

import io.verbena.fabric.link.LinkCounters;
import io.verbena.fabric.node.Deadlock;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How busy each direction of each link of a fabric was during a time, under the names of the topology. */
public final class FabricLoads {

    /**
     * One direction of a link.
     *
     * @param from node of the topology that sends
     * @param to node that receives
     * @param port the sending port of the wiring
     * @param load flits sent, as a part of those that the link could have carried
     * @param stalled part of the time during which a flit waited at the port and no lane of it had a credit
     */
    public record Flow(int from, int to, int port, double load, double stalled) {}

    /** Both directions of a link. */
    public record Link(Flow there, Flow back) {

        /** The busier direction. */
        public double load() {
            return Math.max(there.load(), back.load());
        }
    }

    private final Topology topology;
    private final Wiring wiring;
    private final NodeNames names;
    private final long[] flits;
    private final long[] stalls;
    private long since;

    /** Begins to measure. */
    public FabricLoads(WiringSource source, Fabric fabric) {
        topology = source.topology();
        wiring = source.wiring();
        names = new NodeNames(topology, wiring);
        flits = new long[wiring.ports()];
        stalls = new long[wiring.ports()];
        since = fabric.now();
        for (int p = 0; p < flits.length; p++) {
            flits[p] = fabric.counters().flitsSent(p);
            stalls[p] = fabric.counters().stalledTicks(p);
        }
    }

    /** The lanes of a deadlock, by the names of their nodes. */
    public List<String> names(List<Deadlock.Lane> lanes) {
        return lanes.stream()
                .map(lane ->
                        topology.node(names.nodeOf(lane.node())).name() + " port " + lane.port() + " VL" + lane.lane())
                .toList();
    }

    /** The links with what they carried since the begin. */
    public List<Link> links(Fabric fabric) {
        List<Link> links = new ArrayList<>();
        for (int p = 0; p < wiring.ports(); p++) {
            if (wiring.peer(p) > p) {
                links.add(new Link(flow(p, fabric), flow(wiring.peer(p), fabric)));
            }
        }
        return links;
    }

    private Flow flow(int port, Fabric fabric) {
        LinkCounters counters = fabric.counters();
        double ticks = Math.max(1, fabric.now() - since);
        double sent = counters.flitsSent(port) - flits[port];
        return new Flow(
                names.nodeOf(wiring.nodeOf(port)),
                names.nodeOf(wiring.nodeOf(wiring.peer(port))),
                port,
                Math.min(1, sent * wiring.timing(port).flitTicks() / ticks),
                Math.min(1, (counters.stalledTicks(port) - stalls[port]) / ticks));
    }

    /** All directions, the busiest first. */
    public static List<Flow> byLoad(List<Link> links) {
        List<Flow> flows = new ArrayList<>();
        for (Link link : links) {
            flows.add(link.there());
            flows.add(link.back());
        }
        flows.sort(Comparator.comparingDouble(Flow::load).reversed().thenComparingInt(Flow::port));
        return flows;
    }

    /** Nodes from an endnode to another, both included, by the forwarding tables; ends early where no table leads on. */
    public List<Integer> path(int from, int to) {
        int start = endport(from);
        int end = endport(to);
        List<Integer> nodes = new ArrayList<>(List.of(from));
        int port = start;
        while (start >= 0 && end >= 0 && port >= 0 && nodes.size() <= wiring.nodes()) {
            int in = wiring.peer(port);
            nodes.add(names.nodeOf(wiring.nodeOf(in)));
            port = in == end ? -1 : wiring.output(in, wiring.lid(end));
        }
        return nodes;
    }

    private int endport(int node) {
        for (int port : wiring.endports()) {
            if (names.nodeOf(wiring.nodeOf(port)) == node && wiring.peer(port) >= 0) {
                return port;
            }
        }
        return -1;
    }
}
