package io.verbena.fabric.manager;

import io.verbena.fabric.mad.NodeInfo;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.mad.SwitchInfo;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Identity;
import io.verbena.fabric.topology.LinkRate;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.PortAddress;
import io.verbena.fabric.topology.Topology;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One sweep through a subnet by directed routes. What does not answer is not part of the result. */
final class Discovery {

    private static final int MOST_NODES = 50_000;
    private static final int MOST_PORTS = 254;

    /** A node that answered. */
    static final class Seen {
        final int index;
        final NodeKind kind;
        final Identity identity;
        final int ports;
        /** The directed route to a port of an adapter or router, or to a switch (0). */
        final Map<Integer, int[]> routes = new TreeMap<>();

        final Map<Integer, Long> guids = new TreeMap<>();
        final Map<Integer, MemorySegment> portInfos = new TreeMap<>();
        /** PortState, as it was and as it has been set. */
        final Map<Integer, Integer> states = new TreeMap<>();

        final MemorySegment switchInfo = MemorySegment.ofArray(new byte[SmpHeader.DATA_LENGTH]);

        Seen(int index, NodeKind kind, Identity identity, int ports) {
            this.index = index;
            this.kind = kind;
            this.identity = identity;
            this.ports = ports;
        }

        /** The route by which a port can be configured. */
        int[] route(int port) {
            return routes.getOrDefault(kind == NodeKind.SWITCH ? 0 : port, new int[0]);
        }

        /** PortInfo to change; zeros if the port did not answer. */
        PortInfo portInfo(int port) {
            return new PortInfo().wrap(bytes(port), 0);
        }

        MemorySegment bytes(int port) {
            return portInfos.computeIfAbsent(port, fresh -> MemorySegment.ofArray(new byte[SmpHeader.DATA_LENGTH]));
        }
    }

    private record End(long guid, int port) {}

    private final Requests requests;
    private final Map<Long, Seen> nodes = new LinkedHashMap<>();
    private final Map<End, End> links = new LinkedHashMap<>();
    private final NodeInfo nodeInfo = new NodeInfo();

    Discovery(Requests requests) {
        this.requests = requests;
    }

    /** Begins at the port of the manager. */
    void start() {
        ask(new int[0], new End(0, 0));
    }

    /** The nodes in the order in which they were found. */
    List<Seen> nodes() {
        return List.copyOf(nodes.values());
    }

    private void ask(int[] route, End from) {
        requests.get(Smp.NODE_INFO, 0, route, reply((status, data) -> {
            if (status == 0) {
                found(route, from, nodeInfo.wrap(data, 0));
            }
        }));
    }

    private interface Answered {
        void answered(int status, MemorySegment data);
    }

    private static Requests.Reply reply(Answered answered) {
        return new Requests.Reply() {
            @Override
            public void answered(int status, MemorySegment data) {
                answered.answered(status, data);
            }

            @Override
            public void silent() {
                // The link went down meanwhile: the node is not part of the subnet.
            }
        };
    }

    private void found(int[] route, End from, NodeInfo info) {
        int type = info.nodeType();
        int arrival = info.localPortNum();
        if (type < 1 || type > 3 || info.numPorts() < 1 || info.numPorts() > MOST_PORTS || arrival > info.numPorts()) {
            return;
        }
        NodeKind kind = NodeKind.values()[type - 1];
        Seen node = nodes.get(info.nodeGuid());
        boolean fresh = node == null;
        if (node == null) {
            if (nodes.size() >= MOST_NODES || info.nodeGuid() == 0) {
                return;
            }
            Identity identity =
                    new Identity(info.nodeGuid(), info.systemImageGuid(), info.vendorId(), info.deviceId(), "");
            node = new Seen(nodes.size(), kind, identity, info.numPorts());
            nodes.put(info.nodeGuid(), node);
        }
        if (from.port() != 0) {
            links.putIfAbsent(from, new End(info.nodeGuid(), arrival));
        }
        int own = kind == NodeKind.SWITCH ? 0 : arrival;
        boolean known = node.routes.containsKey(own);
        if (known || node.kind != kind || kind != NodeKind.SWITCH && arrival == 0) {
            return;
        }
        node.routes.put(own, route);
        node.guids.put(own, info.portGuid());
        if (fresh && kind == NodeKind.SWITCH) {
            Seen asked = node;
            requests.get(Smp.SWITCH_INFO, 0, route, reply((status, data) -> {
                asked.switchInfo.copyFrom(data);
            }));
            for (int port = 0; port <= node.ports; port++) {
                port(node, port, route, true);
            }
        } else if (kind != NodeKind.SWITCH) {
            port(node, arrival, route, route.length == 0);
        }
    }

    private void port(Seen node, int port, int[] route, boolean further) {
        requests.get(Smp.PORT_INFO, port, route, reply((status, data) -> {
            if (status != 0) {
                return;
            }
            MemorySegment copy = MemorySegment.ofArray(new byte[SmpHeader.DATA_LENGTH]);
            node.portInfos.put(port, copy.copyFrom(data));
            node.states.put(port, node.portInfo(port).portState());
            boolean linked = node.portInfo(port).portState() >= Smp.INITIALIZE;
            if (further && port > 0 && linked && route.length < SmpHeader.MOST_HOPS - 1) {
                int[] next = Arrays.copyOf(route, route.length + 1);
                next[route.length] = port;
                ask(next, new End(node.identity.guid(), port));
            }
        }));
    }

    /**
     * What was found, with the LIDs that are passed in. Nodes are named by their GUIDs.
     *
     * @param addresses by index of the node and port
     */
    Topology topology(Map<Long, PortAddress> addresses) {
        List<Node> list = new ArrayList<>();
        for (Seen seen : nodes.values()) {
            List<PortAddress> endports = new ArrayList<>();
            int first = seen.kind == NodeKind.SWITCH ? 0 : 1;
            int last = seen.kind == NodeKind.SWITCH ? 0 : seen.ports;
            for (int port = first; port <= last; port++) {
                long guid = seen.guids.getOrDefault(port, ~(((long) seen.index << 8) + port));
                endports.add(addresses.getOrDefault(key(seen.index, port), new PortAddress(guid, 0, 0)));
            }
            String name = Long.toHexString(seen.identity.guid());
            list.add(new Node(seen.index, seen.kind, name, seen.identity, seen.ports, endports));
        }
        List<Cable> cables = new ArrayList<>();
        links.forEach((a, b) -> {
            Seen one = nodes.get(a.guid());
            Seen two = nodes.get(b.guid());
            boolean once = !links.containsKey(b)
                    || one != null && two != null && (one.index < two.index || one == two && a.port() < b.port());
            if (one != null && two != null && once) {
                cables.add(new Cable(one.index, a.port(), two.index, b.port(), LinkRate.DEFAULT, Cable.DEFAULT_METRES));
            }
        });
        return new Topology(list, cables);
    }

    static long key(int node, int port) {
        return (long) node << 8 | port;
    }

    /** A copy of SwitchInfo to change. */
    static SwitchInfo switchInfo(Seen node) {
        return new SwitchInfo().wrap(node.switchInfo, 0);
    }
}
