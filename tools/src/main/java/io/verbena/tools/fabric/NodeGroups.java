package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyBuilder;
import io.verbena.tools.fabric.FabricLoads.Flow;
import io.verbena.tools.fabric.FabricLoads.Link;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A tree that is too large for a picture, with nodes of the same neighbours as one: first the endnodes of a switch, then the
 * switches of a row, from the top, until the picture can be read. A link between two such nodes stands for several.
 */
final class NodeGroups {

    /** A picture with more links than this is not read link by link. */
    static final int MOST_LINKS = 700;

    private static final int ENOUGH_LINKS = 400;

    private final Topology topology;
    private final int[] first;
    private final Map<Flow, List<Flow>> bundles = new HashMap<>();

    private NodeGroups(Topology topology) {
        this.topology = topology;
        first = new int[topology.nodes().size()];
        for (int i = 0; i < first.length; i++) {
            first[i] = i;
        }
    }

    /** The groups of a topology; each node is its own group if the picture is readable without, or no tree. */
    static NodeGroups of(Topology topology, List<Link> links) {
        NodeGroups groups = new NodeGroups(topology);
        Rows rows = new Rows(topology);
        if (links.size() <= MOST_LINKS || !rows.apply()) {
            return groups;
        }
        groups.join(rows, 0);
        for (int row = rows.top(); row > 0 && groups.pairs(links) > ENOUGH_LINKS; row--) {
            groups.join(rows, row);
            groups.join(rows, 0);
        }
        return groups;
    }

    private void join(Rows rows, int row) {
        Map<TreeSet<Integer>, Integer> known = new HashMap<>();
        for (int node : rows.row(row)) {
            TreeSet<Integer> neighbours = new TreeSet<>();
            for (int port = 1; port <= topology.node(node).ports(); port++) {
                int peer = topology.peer(node, port);
                if (peer >= 0 && (row == 0 || topology.node(peer).isSwitch())) {
                    neighbours.add(first[peer]);
                }
            }
            first[node] = known.computeIfAbsent(neighbours, key -> node);
        }
    }

    private long pairs(List<Link> links) {
        return links.stream().map(link -> key(link.there())).distinct().count();
    }

    private long key(Flow flow) {
        int a = first[flow.from()];
        int b = first[flow.to()];
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }

    boolean joined() {
        for (int i = 0; i < first.length; i++) {
            if (first[i] != i) {
                return true;
            }
        }
        return false;
    }

    /** The nodes that are drawn: the number of each one's group in {@link #topology}. */
    Map<Integer, Integer> numbers() {
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int i = 0; i < first.length; i++) {
            if (first[i] == i) {
                numbers.put(i, numbers.size());
            }
        }
        Map<Integer, Integer> all = new TreeMap<>();
        for (int i = 0; i < first.length; i++) {
            all.put(i, numbers.getOrDefault(first[i], -1));
        }
        return all;
    }

    /** The topology that is drawn. */
    Topology topology() {
        if (!joined()) {
            return topology;
        }
        Map<Integer, List<Node>> members = new LinkedHashMap<>();
        for (Node node : topology.nodes()) {
            members.computeIfAbsent(first[node.index()], key -> new ArrayList<>())
                    .add(node);
        }
        Map<Integer, TreeSet<Integer>> peers = new HashMap<>();
        topology.cables().forEach(cable -> {
            int a = first[cable.nodeA()];
            int b = first[cable.nodeB()];
            peers.computeIfAbsent(a, key -> new TreeSet<>()).add(b);
            peers.computeIfAbsent(b, key -> new TreeSet<>()).add(a);
        });
        TopologyBuilder builder = new TopologyBuilder();
        Map<Integer, Integer> index = new HashMap<>();
        members.forEach((node, nodes) -> {
            int ports = peers.getOrDefault(node, new TreeSet<>()).size();
            index.put(
                    node,
                    nodes.getFirst().isSwitch()
                            ? builder.switchNode(name(nodes), ports)
                            : builder.adapter(name(nodes), ports));
        });
        peers.forEach((a, others) -> others.tailSet(a, false)
                .forEach(b -> builder.cable(index.getOrDefault(a, -1), index.getOrDefault(b, -1))));
        return builder.build();
    }

    private static String name(List<Node> nodes) {
        return nodes.size() == 1
                ? nodes.getFirst().name()
                : nodes.size() + (nodes.getFirst().isSwitch() ? " switches, " : " endnodes, ")
                        + nodes.getFirst().name() + " to " + nodes.getLast().name();
    }

    /** The links that are drawn, each with the load of the busiest link that it stands for. */
    List<Link> links(List<Link> links) {
        if (!joined()) {
            return links;
        }
        Map<Integer, Integer> numbers = numbers();
        Map<Long, List<Flow>> there = new LinkedHashMap<>();
        Map<Long, List<Flow>> back = new HashMap<>();
        for (Link link : links) {
            boolean forward = first[link.there().from()] < first[link.there().to()];
            there.computeIfAbsent(key(link.there()), key -> new ArrayList<>())
                    .add(forward ? link.there() : link.back());
            back.computeIfAbsent(key(link.there()), key -> new ArrayList<>()).add(forward ? link.back() : link.there());
        }
        List<Link> drawn = new ArrayList<>();
        there.forEach((key, flows) ->
                drawn.add(new Link(one(flows, numbers), one(back.getOrDefault(key, List.of()), numbers))));
        return drawn;
    }

    private Flow one(List<Flow> flows, Map<Integer, Integer> numbers) {
        Flow flow = flows.getFirst();
        Flow one = new Flow(
                numbers.getOrDefault(flow.from(), -1),
                numbers.getOrDefault(flow.to(), -1),
                flow.port(),
                flows.stream().mapToDouble(Flow::load).max().orElse(0),
                flows.stream().mapToDouble(Flow::stalled).max().orElse(0));
        bundles.put(one, flows);
        return one;
    }

    /** How busy one direction of a link of {@link #links} was. */
    String words(Flow flow) {
        List<Flow> flows = bundles.getOrDefault(flow, List.of(flow));
        String load = String.format(Locale.ROOT, "%.0f %%", 100 * flow.load());
        String waits = flow.stalled() < .005
                ? ""
                : String.format(Locale.ROOT, ", waits for credits %.0f %% of the time", 100 * flow.stalled());
        if (flows.size() == 1) {
            return load + waits;
        }
        double mean = flows.stream().mapToDouble(Flow::load).average().orElse(0);
        return String.format(Locale.ROOT, "%d links, mean %.0f %%, busiest ", flows.size(), 100 * mean) + load + waits;
    }
}
