package io.verbena.fabric.node;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.routing.Routes;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The wiring of a topology, with the routes of a subnet manager or with up/down routes of its own: switches are ordered from the top to the endnodes, and a path never goes up
 * after it has gone down. No cycle of lanes can form, whatever the shape. Of several next ports, the LID of the destination
 * chooses one; adaptive switches may take any. Adapters and routers are endnodes; their unconnected ports are left out.
 */
public final class TopologyWiring {
    private static final int FAR = Integer.MAX_VALUE / 2;

    private final Topology topology;
    private final Wiring wiring = new Wiring();
    private final List<Node> switches;
    /** Position of a node among the switches, -1 for others. */
    private final int[] switchOf;
    /** For each switch and port from 1 on: the switch at the other end, -1 if it is none. */
    private final int[][] neighbours;

    private TopologyWiring(Topology topology) {
        this.topology = topology;
        switches = topology.nodes().stream().filter(Node::isSwitch).toList();
        switchOf = new int[topology.nodes().size()];
        Arrays.fill(switchOf, -1);
        for (int s = 0; s < switches.size(); s++) {
            switchOf[switches.get(s).index()] = s;
            wiring.addSwitch(switches.get(s).ports());
        }
        neighbours = new int[switches.size()][];
        for (int s = 0; s < neighbours.length; s++) {
            Node node = switches.get(s);
            neighbours[s] = new int[node.ports() + 1];
            for (int port = 0; port <= node.ports(); port++) {
                int peer = port == 0 ? -1 : topology.peer(node.index(), port);
                neighbours[s][port] = peer < 0 ? -1 : switchOf[peer];
            }
        }
    }

    /** Builds it. Switch number i of the wiring is the i-th switch of the topology. */
    public static Wiring of(Topology topology) {
        TopologyWiring builder = new TopologyWiring(topology);
        List<int[]> endports = builder.connect(cable -> true);
        builder.route(endports);
        return builder.wiring;
    }

    /**
     * The same nodes with the tables that a subnet manager has written. Links that are not active are left out, and adapters without an
     * active link.
     */
    public static Wiring of(Topology topology, Routes routes) {
        TopologyWiring builder = new TopologyWiring(topology);
        List<int[]> endports = builder.connect(routes::usable);
        int[] lids = new int[endports.size()];
        for (int i = 0; i < lids.length; i++) {
            int leaf = builder.switches.get(endports.get(i)[0]).index();
            int port = endports.get(i)[1];
            lids[i] = routes.lid(topology.peer(leaf, port), topology.peerPort(leaf, port));
        }
        for (int s = 0; s < builder.switches.size(); s++) {
            Node node = builder.switches.get(s);
            short[] table = new short[lids.length + 1];
            for (int i = 0; i < lids.length; i++) {
                int out = lids[i] == 0 ? 0 : routes.outputPort(node.index(), lids[i]);
                table[i + 1] = (short) (out > node.ports() ? 0 : out);
            }
            builder.wiring.table(s, table);
        }
        return builder.wiring;
    }

    /**
     * The same nodes with forwarding tables that lead nowhere, for a subnet manager to fill by {@link Fabric#route}.
     *
     * @param lmc LID mask control of adapters
     */
    public static Wiring unrouted(Topology topology, int lmc) {
        TopologyWiring builder = new TopologyWiring(topology);
        builder.wiring.lmc(lmc);
        int endports = builder.connect(cable -> true).size();
        for (int s = 0; s < builder.switches.size(); s++) {
            builder.wiring.table(s, new short[endports + 1 << lmc]);
        }
        return builder.wiring;
    }

    /** Connects everything; returns the switch and the port there of each LID. */
    private List<int[]> connect(IntPredicate usable) {
        List<int[]> attached = new ArrayList<>();
        for (Node node : topology.nodes()) {
            for (int port = 1; port <= node.ports(); port++) {
                int peer = topology.peer(node.index(), port);
                if (peer < 0 || !usable.test(topology.cableAt(node.index(), port))) {
                    continue;
                }
                Cable cable = topology.cables().get(topology.cableAt(node.index(), port));
                LinkTiming timing = LinkTiming.of(cable.rate().megabitsPerSecond(), cable.lengthMetres());
                int peerPort = topology.peerPort(node.index(), port);
                if (!node.isSwitch() && switchOf[peer] >= 0) {
                    wiring.connect(switchOf[peer], peerPort, wiring.addAdapter(1), 1, timing);
                    attached.add(new int[] {switchOf[peer], peerPort});
                } else if (node.isSwitch() && switchOf[peer] >= 0 && before(node.index(), port, peer, peerPort)) {
                    wiring.connect(switchOf[node.index()], port, switchOf[peer], peerPort, timing);
                }
            }
        }
        return attached;
    }

    private static boolean before(int node, int port, int peer, int peerPort) {
        return node < peer || node == peer && port < peerPort;
    }

    private void route(List<int[]> endports) {
        int[] levels = levels(endports);
        int[] order = order(levels);
        Integer[] byOrder = new Integer[order.length];
        Arrays.setAll(byOrder, i -> i);
        Arrays.sort(byOrder, (a, b) -> Integer.compare(order[a], order[b]));
        short[][] tables = new short[order.length][endports.size() + 1];
        long[][] choices = new long[order.length][];
        for (int s = 0; s < order.length; s++) {
            choices[s] = new long[wiring.words(s) * (endports.size() + 1)];
        }
        for (int target = 0; target < order.length; target++) {
            long[][] ports = null;
            for (int lid = 1; lid <= endports.size(); lid++) {
                if (endports.get(lid - 1)[0] != target) {
                    continue;
                }
                ports = ports == null ? nextPorts(target, order, byOrder) : ports;
                for (int s = 0; s < order.length; s++) {
                    int words = wiring.words(s);
                    if (s != target) {
                        System.arraycopy(ports[s], 0, choices[s], lid * words, words);
                    }
                    tables[s][lid] = (short) (s == target ? endports.get(lid - 1)[1] : pick(ports[s], lid, levels[s]));
                }
            }
        }
        for (int s = 0; s < order.length; s++) {
            wiring.table(s, tables[s]);
            wiring.choices(s, choices[s]);
        }
    }

    /** Every level uses another digit of the LID, so that all ways through a tree are used alike. */
    private static int pick(long[] ports, int lid, int level) {
        int count = PortSet.size(ports, 0, ports.length);
        if (count == 0) {
            return 0;
        }
        int digit = lid;
        for (int i = 0; i < level; i++) {
            digit /= count;
        }
        int port = PortSet.next(ports, 0, ports.length, 0);
        for (int skip = digit % count; skip > 0; skip--) {
            port = PortSet.next(ports, 0, ports.length, port + 1);
        }
        return port + 1;
    }

    /** For each switch the number of cables to the next switch with an endnode. */
    private int[] levels(List<int[]> endports) {
        int count = switches.size();
        int[] toEndnode = new int[count];
        Arrays.fill(toEndnode, FAR);
        int[] queue = new int[count];
        int length = 0;
        for (int[] end : endports) {
            if (toEndnode[end[0]] == FAR) {
                toEndnode[end[0]] = 0;
                queue[length++] = end[0];
            }
        }
        spread(toEndnode, queue, length);
        return toEndnode;
    }

    /** The switches from the top to the bottom: far from endnodes first, then near to the first of these. */
    private int[] order(int[] toEndnode) {
        int count = toEndnode.length;
        int[] queue = new int[count];
        int top = 0;
        for (int s = 1; s < count; s++) {
            top = toEndnode[s] > toEndnode[top] ? s : top;
        }
        int[] toTop = new int[count];
        Arrays.fill(toTop, FAR);
        if (count > 0) {
            toTop[top] = 0;
            queue[0] = top;
            spread(toTop, queue, 1);
        }
        Integer[] sorted = new Integer[count];
        Arrays.setAll(sorted, i -> i);
        Arrays.sort(sorted, (a, b) -> {
            int far = Integer.compare(toEndnode[b], toEndnode[a]);
            return far != 0 ? far : Integer.compare(toTop[a], toTop[b]);
        });
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[sorted[i]] = i;
        }
        return order;
    }

    private void spread(int[] distance, int[] queue, int length) {
        int end = length;
        for (int i = 0; i < end; i++) {
            for (int next : neighbours[queue[i]]) {
                if (next >= 0 && distance[next] == FAR) {
                    distance[next] = distance[queue[i]] + 1;
                    queue[end++] = next;
                }
            }
        }
    }

    /** For each switch the ports that begin a shortest way to {@code target}: down where that is possible, else up. */
    private long[][] nextPorts(int target, int[] order, Integer[] byOrder) {
        int count = order.length;
        int[] down = new int[count];
        Arrays.fill(down, FAR);
        down[target] = 0;
        int[] queue = new int[count];
        queue[0] = target;
        int end = 1;
        for (int i = 0; i < end; i++) {
            for (int next : neighbours[queue[i]]) {
                if (next >= 0 && down[next] == FAR && order[next] < order[queue[i]]) {
                    down[next] = down[queue[i]] + 1;
                    queue[end++] = next;
                }
            }
        }
        int[] distance = down.clone();
        long[][] ports = new long[count][];
        Arrays.setAll(ports, s -> new long[wiring.words(s)]);
        for (int s : byOrder) {
            boolean descends = down[s] != FAR;
            for (int port = 1; port < neighbours[s].length; port++) {
                int next = neighbours[s][port];
                if (next < 0 || next == s || order[next] < order[s] == descends) {
                    continue;
                }
                int way = (descends ? down[next] : distance[next]) + 1;
                if (way < distance[s]) {
                    Arrays.fill(ports[s], 0);
                    PortSet.add(ports[s], 0, port - 1);
                    distance[s] = way;
                } else if (way == distance[s] && way < FAR) {
                    PortSet.add(ports[s], 0, port - 1);
                }
            }
        }
        return ports;
    }
}
