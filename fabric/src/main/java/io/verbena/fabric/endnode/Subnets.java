package io.verbena.fabric.endnode;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The subnets of a network: switches that are connected without a router, and the ports at them. Routers connect subnets; of several routers
 * on a shortest way, the LID of the destination chooses one. A network without routers is one subnet.
 */
final class Subnets {

    private static final int NONE = -1;

    /** A router's port: in the subnet {@code from}, its router has port number {@code out} in the subnet {@code to}. */
    private record Way(int port, int from, int out, int to) {}

    private final EndnodePorts ports;
    private final int[] subnetOf;
    private final boolean[] router;
    private final List<Way> ways = new ArrayList<>();
    private final int count;

    private Subnets(EndnodePorts ports, int[] subnetOf, boolean[] router, int count) {
        this.ports = ports;
        this.subnetOf = subnetOf;
        this.router = router;
        this.count = count;
    }

    /** All ports belong to one subnet. */
    static Subnets one(EndnodePorts ports) {
        return new Subnets(ports, new int[ports.numbers() + 1], new boolean[ports.endnodes()], 1);
    }

    /** The subnets of a topology whose ports have these numbers. */
    static Subnets of(Topology topology, EndnodePorts ports) {
        if (topology.count(NodeKind.ROUTER) == 0) {
            return one(ports);
        }
        int[] component = new int[topology.nodes().size()];
        int count = components(topology, component);
        int[] subnetOf = new int[ports.numbers() + 1];
        boolean[] router = new boolean[ports.endnodes()];
        int number = 0;
        for (Node node : topology.nodes()) {
            for (int port = 1; port <= node.ports() && !node.isSwitch(); port++) {
                int peer = topology.peer(node.index(), port);
                if (peer >= 0 && topology.node(peer).isSwitch()) {
                    subnetOf[++number] = component[peer];
                    router[ports.endnodeOfNumber(number)] = node.kind() == NodeKind.ROUTER;
                }
            }
        }
        Subnets subnets = new Subnets(ports, subnetOf, router, count);
        subnets.findWays();
        return subnets;
    }

    private static int components(Topology topology, int[] component) {
        Arrays.fill(component, NONE);
        int count = 0;
        for (Node start : topology.nodes(NodeKind.SWITCH)) {
            if (component[start.index()] != NONE) {
                continue;
            }
            component[start.index()] = count;
            ArrayDeque<Node> queue = new ArrayDeque<>(List.of(start));
            while (!queue.isEmpty()) {
                Node at = queue.remove();
                for (int port = 1; port <= at.ports(); port++) {
                    int peer = topology.peer(at.index(), port);
                    if (peer >= 0 && topology.node(peer).isSwitch() && component[peer] == NONE) {
                        component[peer] = count;
                        queue.add(topology.node(peer));
                    }
                }
            }
            count++;
        }
        return Math.max(1, count);
    }

    private void findWays() {
        for (int in = 1; in < subnetOf.length; in++) {
            for (int out = 1; out < subnetOf.length; out++) {
                boolean same = ports.endnodeOfNumber(in) == ports.endnodeOfNumber(out);
                if (same && router[ports.endnodeOfNumber(in)] && subnetOf[in] != subnetOf[out]) {
                    ways.add(new Way(in, subnetOf[in], out, subnetOf[out]));
                }
            }
        }
    }

    int count() {
        return count;
    }

    boolean isRouter(int endnode) {
        return router[endnode];
    }

    /** The subnet of a LID. */
    int subnetOf(int lid) {
        return subnetOf[ports.number(lid)];
    }

    /** The LID in a subnet to which packets to another subnet are sent, for a destination; 0 if there is no way. */
    int routerLid(int from, int to, int destinationLid) {
        List<Way> next = next(from, to);
        return next.isEmpty()
                ? 0
                : ports.lidOfNumber(next.get(destinationLid % next.size()).port());
    }

    /** The LID of the port by which a router forwards packets to a subnet; 0 if there is no way. */
    int outputLid(int endnode, int to) {
        int[] distance = distances(to);
        int best = 0;
        int nearest = count;
        for (int number = 1; number < subnetOf.length; number++) {
            if (ports.endnodeOfNumber(number) == endnode && distance[subnetOf[number]] < nearest) {
                best = number;
                nearest = distance[subnetOf[number]];
            }
        }
        return best == 0 ? 0 : ports.lidOfNumber(best);
    }

    private List<Way> next(int from, int to) {
        int[] distance = distances(to);
        return ways.stream()
                .filter(way -> way.from() == from && distance[way.to()] == distance[from] - 1)
                .toList();
    }

    /** The number of routers from each subnet to one; larger than all if there is no way. */
    private int[] distances(int to) {
        int[] distance = new int[count];
        Arrays.fill(distance, count);
        distance[to] = 0;
        for (int round = 0; round < count; round++) {
            for (Way way : ways) {
                distance[way.from()] = Math.min(distance[way.from()], distance[way.to()] + 1);
            }
        }
        return distance;
    }
}
