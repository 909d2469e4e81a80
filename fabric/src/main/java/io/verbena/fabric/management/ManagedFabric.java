package io.verbena.fabric.management;

import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.Delivery.Outcome;
import io.verbena.fabric.routing.Routes;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A fabric whose nodes answer management datagrams. The datagrams take the path that they would take through switches: by LID
 * through the forwarding tables that a subnet manager has written, or by a directed route, hop by hop, over cables that work.
 */
public final class ManagedFabric implements Routes {

    private final Topology topology;
    private final ManagedNode[] nodes;
    private final boolean[] cables;
    private final boolean[][] disabled;
    private final CountedPorts counts;
    private final List<PortCounts> sources = new ArrayList<>();
    private final SubnetAgent subnetAgent = new SubnetAgent(new AgentLinks());
    private final PerformanceAgent performanceAgent = new PerformanceAgent(sources);
    private final MadHeader header = new MadHeader();
    private final SmpHeader smp = new SmpHeader();
    private final DatagramWalk walk;
    private final LinkTraps traps = new LinkTraps();
    private long changes;

    /** All cables work; no port has an address that the topology does not state. */
    public ManagedFabric(Topology topology) {
        this.topology = topology;
        counts = new CountedPorts(topology);
        sources.add(counts);
        nodes = new ManagedNode[topology.nodes().size()];
        disabled = new boolean[nodes.length][];
        for (Node node : topology.nodes()) {
            nodes[node.index()] = new ManagedNode(node);
            disabled[node.index()] = new boolean[node.ports() + 1];
        }
        walk = new DatagramWalk(topology, nodes, counts, this::connected);
        cables = new boolean[topology.cables().size()];
        for (int i = 0; i < cables.length; i++) {
            Cable cable = topology.cables().get(i);
            nodes[cable.nodeA()].rate(cable.portA(), cable.rate());
            nodes[cable.nodeB()].rate(cable.portB(), cable.rate());
            cables[i] = true;
            train(i);
        }
    }

    /** What is managed. */
    public Topology topology() {
        return topology;
    }

    /** Number of events that may have changed a table, an address or a link: equal values mean that nothing has changed. */
    public long changes() {
        return changes;
    }

    /** Adds a source of counts, which the performance agents show with the packets of management. */
    public void addCounts(PortCounts source) {
        sources.add(source);
    }

    // ------------------------------------------------------------------------------------------------- what a manager
    // has set

    /** The base LID of a port's endport; 0 if it has none. */
    @Override
    public int lid(int node, int port) {
        return nodes[node].portInfo(nodes[node].endport(port)).lid();
    }

    /** The LID mask control of a port's endport. */
    @Override
    public int lmc(int node, int port) {
        return nodes[node].portInfo(nodes[node].endport(port)).lmc();
    }

    /** PortState of a port. */
    public int portState(int node, int port) {
        return nodes[node].portInfo(port).portState();
    }

    /** The output port of a switch for a LID; 255 for none. */
    @Override
    public int outputPort(int node, int lid) {
        return nodes[node].forward(lid);
    }

    /** Number of LIDs in the multicast table of a switch. */
    public static final int MULTICAST_LIDS = ManagedNode.MULTICAST_LIDS;

    /** A table that a manager has written, 64 bytes; empty if it has not. */
    public Optional<byte[]> written(int node, int attribute, int modifier) {
        return nodes[node].written(attribute, modifier);
    }

    /** Writes a table as a manager does. */
    public void write(int node, int attribute, int modifier, byte[] contents) {
        nodes[node].table(attribute, modifier, contents);
        changes++;
    }

    /** The virtual lane that a switch or an adapter gives to a service level, from an input port to an output port. */
    @Override
    public int virtualLane(int node, int inputPort, int outputPort, int serviceLevel) {
        int modifier = nodes[node].node.isSwitch() ? inputPort << 8 | outputPort : outputPort;
        byte[] table = nodes[node].table(Smp.SL_TO_VL, modifier);
        return table[serviceLevel / 2] >> (serviceLevel % 2 == 0 ? 4 : 0) & 0xf;
    }

    @Override
    public boolean usable(int cable) {
        Cable ends = topology.cables().get(cable);
        return connected(cable)
                && portState(ends.nodeA(), ends.portA()) == Smp.ACTIVE
                && portState(ends.nodeB(), ends.portB()) == Smp.ACTIVE;
    }

    /** 0: service levels are known to the subnet manager, which tells them to those who ask for a path. */
    @Override
    public int serviceLevel(int sourceNode, int sourcePort, int dlid) {
        return 0;
    }

    /** A copy of a port's PortInfo, 64 bytes. */
    public MemorySegment portInfo(int node, int port) {
        MemorySegment copy = MemorySegment.ofArray(new byte[PortInfo.LENGTH]);
        copy.copyFrom(nodes[node].portInfoBytes(port));
        new PortInfo().wrap(copy, 0).localPortNum(port);
        return copy;
    }

    /** A copy of the first block of a port's P_Key table: 32 big-endian keys. */
    public byte[] pKeys(int node, int port) {
        return nodes[node].table(Smp.P_KEY_TABLE, port << 16).clone();
    }

    /** Writes NodeInfo as the port shows it. */
    public void nodeInfo(int node, int port, MemorySegment out, long offset) {
        nodes[node].nodeInfo(out, offset, port);
    }

    /** Notes whether a subnet manager runs at an endport, in its CapabilityMask. */
    public void manager(int node, int port, boolean runs) {
        PortInfo fields = nodes[node].portInfo(nodes[node].endport(port));
        int others = fields.capabilityMask() & ~ManagedNode.IS_SM;
        fields.capabilityMask(runs ? others | ManagedNode.IS_SM : others);
    }

    // ------------------------------------------------------------------------------------------------------- cables
    // and nodes

    /** Whether a cable connects its ports: it is plugged in, both nodes work, and no port is disabled. */
    public boolean connected(int cable) {
        Cable ends = topology.cables().get(cable);
        return cables[cable]
                && nodes[ends.nodeA()].up
                && nodes[ends.nodeB()].up
                && !disabled[ends.nodeA()][ends.portA()]
                && !disabled[ends.nodeB()][ends.portB()];
    }

    /** Whether a node works. */
    public boolean works(int node) {
        return nodes[node].up;
    }

    /** Unplugs a cable, or plugs it in. The switches at its ends report the change to the subnet manager. */
    public void cable(int cable, boolean plugged) {
        if (cables[cable] != plugged) {
            cables[cable] = plugged;
            train(cable);
        }
    }

    /** Switches a node off or on. It has lost its tables and addresses when it is on again. */
    public void node(int node, boolean works) {
        if (nodes[node].up == works) {
            return;
        }
        if (works) {
            nodes[node] = new ManagedNode(nodes[node].node);
            for (int port = 1; port <= nodes[node].node.ports(); port++) {
                disabled[node][port] = false;
                int cable = topology.cableAt(node, port);
                if (cable >= 0) {
                    nodes[node].rate(port, topology.cables().get(cable).rate());
                }
            }
        }
        nodes[node].up = works;
        for (int port = 1; port <= nodes[node].node.ports(); port++) {
            int cable = topology.cableAt(node, port);
            if (cable >= 0) {
                train(cable);
            }
        }
    }

    /** Both ends of a cable notice whether it connects them. */
    private void train(int cable) {
        Cable ends = topology.cables().get(cable);
        boolean up = connected(cable);
        end(ends.nodeA(), ends.portA(), up);
        end(ends.nodeB(), ends.portB(), up);
    }

    private void end(int node, int port, boolean up) {
        PortInfo fields = nodes[node].portInfo(port);
        int before = fields.portState();
        fields.portState(up ? Smp.INITIALIZE : Smp.DOWN);
        fields.portPhysicalState(disabled[node][port] ? Smp.DISABLED : up ? Smp.LINK_UP : Smp.POLLING);
        if (before > Smp.DOWN && !up) {
            counts.add(node, port, Counter.LINK_DOWNED, 1);
        }
        changes++;
        if (before != fields.portState() && nodes[node].node.isSwitch() && nodes[node].up) {
            nodes[node].switchInfo().portStateChange(true);
            report(node);
        }
    }

    /** What a Set does to links. */
    private final class AgentLinks implements SubnetAgent.Links {
        @Override
        public void retrain(int node, int port) {
            int cable = topology.cableAt(node, port);
            if (cable >= 0 && connected(cable)) {
                train(cable);
            }
        }

        @Override
        public void enable(int node, int port, boolean enabled) {
            if (disabled[node][port] == !enabled) {
                return;
            }
            disabled[node][port] = !enabled;
            int cable = topology.cableAt(node, port);
            if (cable >= 0) {
                train(cable);
            } else {
                nodes[node].portInfo(port).portPhysicalState(enabled ? Smp.POLLING : Smp.DISABLED);
            }
        }
    }

    // --------------------------------------------------------------------------------------------------------------
    // datagrams

    /**
     * Sends a management datagram of 256 bytes from a port.
     *
     * @param dlid the destination of a LID-routed datagram; ignored for directed routes
     * @param mad the datagram; contains the response if the outcome is ANSWERED
     */
    public Delivery send(int node, int port, int dlid, MemorySegment mad) {
        header.wrap(mad, 0);
        smp.wrap(mad, 0);
        if (!nodes[node].up) {
            return Delivery.lost(node, port, "The node '" + nodes[node].node.name() + "' is switched off");
        }
        boolean response = header.response() || header.method() == Smp.TRAP_REPRESS;
        boolean directed = header.mgmtClass() == Smp.CLASS_DIRECTED;
        Delivery way = !directed
                ? walk.byLid(node, port, dlid, header.mgmtClass() == Smp.CLASS_LID_ROUTED)
                : response ? walk.back(node, port, smp) : walk.forth(node, port, smp);
        if (way.outcome() == Outcome.LOST) {
            return way;
        }
        return arrive(node, port, way, mad);
    }

    private Delivery arrive(int node, int port, Delivery way, MemorySegment mad) {
        int mgmtClass = header.mgmtClass();
        boolean subnet = mgmtClass == Smp.CLASS_DIRECTED || mgmtClass == Smp.CLASS_LID_ROUTED;
        if (subnet && header.method() == Smp.TRAP_REPRESS) {
            traps.acknowledge(way.node(), header.transactionId());
            return new Delivery(Outcome.CONSUMED, way.node(), way.port(), "");
        }
        boolean forAgent = !header.response()
                && (mgmtClass == Smp.CLASS_PERFORMANCE
                        || subnet && header.attributeId() != Smp.SM_INFO && header.attributeId() != Smp.NOTICE);
        if (!forAgent) {
            return way;
        }
        ManagedNode target = nodes[way.node()];
        changes += subnet && header.method() == Smp.SET ? 1 : 0;
        if (mgmtClass == Smp.CLASS_PERFORMANCE) {
            performanceAgent.handle(target, mad);
        } else if (!subnetAgent.handle(target, way.port(), mad)) {
            return Delivery.lost(way.node(), way.port(), "The M_Key of the request is wrong");
        }
        if (mgmtClass != Smp.CLASS_DIRECTED) {
            // The response takes the path back to the requester, which a wrong table may lack.
            int endport = target.endport(way.port());
            Delivery home = walk.byLid(way.node(), endport, lid(node, port), subnet);
            if (home.outcome() == Outcome.LOST || home.node() != node) {
                return Delivery.lost(
                        home.node(), home.port(), "The response does not reach the requester: " + home.reason());
            }
        }
        return new Delivery(Outcome.ANSWERED, way.node(), way.port(), "");
    }

    // ------------------------------------------------------------------------------------------------------------------ traps

    private void report(int node) {
        if (nodes[node].portInfo(0).masterSmLid() != 0) {
            traps.raise(node);
        }
    }

    /**
     * The next trap that is due. It is repeated until the manager acknowledges it.
     *
     * @param mad where to write it
     * @return where it arrived; empty if none is due
     */
    public Optional<Delivery> pollTrap(long nowNs, MemorySegment mad) {
        Optional<LinkTraps.Trap> due = traps.takeDue(nowNs);
        while (due.isPresent()) {
            int node = due.get().node();
            PortInfo own = nodes[node].portInfo(0);
            int manager = own.masterSmLid();
            if (nodes[node].up && manager != 0 && own.lid() != 0) {
                due.get().write(mad, own.lid());
                return Optional.of(send(node, 0, manager, mad));
            }
            due = traps.takeDue(nowNs);
        }
        return Optional.empty();
    }

    /** When {@link #pollTrap} has something to do again. */
    public long nextDeadlineNs(long nowNs) {
        return traps.nextDeadlineNs(nowNs);
    }
}
