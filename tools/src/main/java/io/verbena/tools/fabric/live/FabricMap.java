package io.verbena.tools.fabric.live;

import io.verbena.fabric.endnode.LinkMetrics;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Topology;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.Failures;
import io.verbena.tools.fabric.Placement;
import io.verbena.verbs.Figures;
import io.verbena.web.NetworkNode;
import io.verbena.web.NetworkPlan;
import io.verbena.web.NetworkState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The nodes and links of a fabric as a page shows them. Nodes have the numbers of the topology, links those of this map. */
final class FabricMap {

    private final FabricNames names;
    private final Wiring wiring;
    /** The lower port of each link. */
    private final int[] ports;

    private final int[] linkOf;
    private final NetworkPlan plan;

    /**
     * Maps a fabric.
     *
     * @param argument names the topology, and thereby its shape
     */
    FabricMap(String argument, FabricNames names, int lanes) {
        this.names = names;
        wiring = names.wiring();
        ports = IntStream.range(0, wiring.ports())
                .filter(port -> wiring.peer(port) > port)
                .toArray();
        linkOf = new int[wiring.ports()];
        List<NetworkPlan.Link> links = new ArrayList<>();
        Placement placement = Placement.of(argument, names.topology());
        for (int port : ports) {
            linkOf[port] = links.size();
            linkOf[wiring.peer(port)] = links.size();
            NetworkPlan.End from = end(port);
            NetworkPlan.End to = end(wiring.peer(port));
            links.add(new NetworkPlan.Link(from, to, placement.bend(names.topology(), from.node(), to.node())));
        }
        plan = new NetworkPlan(argument, nodes(names.topology(), placement), links, lanes, true);
    }

    static List<NetworkPlan.Node> nodes(Topology topology, Placement placement) {
        return topology.nodes().stream()
                .map(node -> new NetworkPlan.Node(
                        node.name(), node.isSwitch(), placement.x[node.index()], placement.y[node.index()]))
                .toList();
    }

    private NetworkPlan.End end(int port) {
        return new NetworkPlan.End(names.index(wiring.nodeOf(port)), wiring.local(port));
    }

    NetworkPlan plan() {
        return plan;
    }

    /** The lower port of a link. */
    int port(int link) {
        return ports[link];
    }

    /** The nodes of the wiring that are a node of the topology: one for each port of an adapter. */
    List<Integer> wired(int node) {
        return IntStream.range(0, wiring.nodes())
                .filter(each -> names.index(each) == node)
                .boxed()
                .toList();
    }

    List<Integer> nodesDown(Failures failures) {
        return IntStream.range(0, wiring.nodes())
                .filter(node -> !failures.nodeWorks(node))
                .map(names::index)
                .distinct()
                .boxed()
                .toList();
    }

    List<Integer> linksDown(Failures failures) {
        return IntStream.range(0, ports.length)
                .filter(link -> !failures.linkWorks(ports[link]))
                .boxed()
                .toList();
    }

    /** See {@link NetworkState#loads}. */
    List<byte[]> loads(LaneLoads loads) {
        return IntStream.range(0, plan.lanes())
                .mapToObj(lane -> {
                    byte[] percent = new byte[2 * ports.length];
                    for (int link = 0; link < ports.length; link++) {
                        percent[2 * link] = loads.percent(ports[link], lane);
                        percent[2 * link + 1] = loads.percent(wiring.peer(ports[link]), lane);
                    }
                    return percent;
                })
                .toList();
    }

    /** What is in the ports of a node of the topology. */
    NetworkNode node(int node, Fabric fabric) {
        List<NetworkNode.Port> found = new ArrayList<>();
        for (int wired : wired(node)) {
            for (int port = wiring.port(wired, 1); port < wiring.port(wired, 1) + wiring.portCount(wired); port++) {
                if (wiring.peer(port) >= 0) {
                    int frames = wiring.isSwitch(wired) ? 0 : fabric.queued(port);
                    found.add(new NetworkNode.Port(wiring.local(port), linkOf[port], frames, lanes(port, fabric)));
                }
            }
        }
        return new NetworkNode(node, found);
    }

    /** The counters of the ports that are wired, by nodes of the topology. */
    List<Figures> figures(Fabric fabric) {
        List<Figures> found = new ArrayList<>();
        for (int node = 0; node < plan.nodes().size(); node++) {
            Figures.Builder figures = Figures.of("fabric_node")
                    .identity("name", plan.nodes().get(node).name());
            for (int wired : wired(node)) {
                for (int port = wiring.port(wired, 1); port < wiring.port(wired, 1) + wiring.portCount(wired); port++) {
                    if (wiring.peer(port) >= 0) {
                        figures.part(LinkMetrics.of(fabric.counters(), port, wiring.local(port)));
                    }
                }
            }
            found.add(figures.build());
        }
        return found;
    }

    private static List<NetworkNode.Lane> lanes(int port, Fabric fabric) {
        return IntStream.range(0, fabric.lanes())
                .mapToObj(lane -> new NetworkNode.Lane(
                        fabric.creditLevels().held(port, lane),
                        fabric.creditLevels().bufferFlits(),
                        fabric.credits(port, lane),
                        fabric.waiting(port, lane)))
                .toList();
    }
}
