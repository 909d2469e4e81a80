package io.verbena.fabric.management;

import io.verbena.base.Times;
import io.verbena.fabric.mad.Notice;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/**
 * A fabric whose nodes answer management datagrams. The datagrams take the path that they would take through switches: by LID
 * through the forwarding tables that a subnet manager has written, or by a directed route, hop by hop, over cables that work.
 */
public final class ManagedFabric implements Routes {

    /** Words of a packet with a MAD, from LRH to ICRC. */
    private static final int MAD_WORDS = 72;

    private static final int MOST_HOPS = 64;
    private static final int NO_PORT = 255;
    private static final int MOST_TRAPS = 1024;
    private static final int REPEATS = 5;
    private static final long REPEAT_NS = 500_000_000;

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
    private final Queue<Trap> traps = new ArrayDeque<>();
    private long nextTransaction = 1;
    private long changes;

    /** A trap that the manager has not acknowledged. */
    private record Trap(int node, long transaction, int repeats, boolean sent, long dueNs) {

        boolean due(long nowNs) {
            return !sent || dueNs - nowNs <= 0;
        }
    }

    /** Where a packet is: at a port of a node, on its way in. */
    private record Place(int node, int port) {}

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
            return Delivery.lost(node, port, "The node " + name(node) + " is switched off");
        }
        boolean response = header.response() || header.method() == Smp.TRAP_REPRESS;
        boolean directed = header.mgmtClass() == Smp.CLASS_DIRECTED;
        Delivery way = !directed ? byLid(node, port, dlid) : response ? back(node, port) : forth(node, port);
        if (way.outcome() == Outcome.LOST) {
            return way;
        }
        return arrive(node, port, way, mad);
    }

    private Delivery arrive(int node, int port, Delivery way, MemorySegment mad) {
        int mgmtClass = header.mgmtClass();
        boolean subnet = mgmtClass == Smp.CLASS_DIRECTED || mgmtClass == Smp.CLASS_LID_ROUTED;
        if (subnet && header.method() == Smp.TRAP_REPRESS) {
            acknowledge(way.node(), header.transactionId());
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
            Delivery home = byLid(way.node(), endport, lid(node, port));
            if (home.outcome() == Outcome.LOST || home.node() != node) {
                return Delivery.lost(
                        home.node(), home.port(), "The response does not reach the requester: " + home.reason());
            }
        }
        return new Delivery(Outcome.ANSWERED, way.node(), way.port(), "");
    }

    /** The outcome of walking: FORWARDED with the place of arrival, or LOST. The arrival port of a switch is where the packet came in. */
    private Delivery byLid(int node, int port, int dlid) {
        if (nodes[node].answersTo(nodes[node].endport(port), dlid)) {
            return new Delivery(Outcome.FORWARDED, node, nodes[node].endport(port), "");
        }
        boolean subnet = header.mgmtClass() == Smp.CLASS_LID_ROUTED;
        Place at = new Place(node, port);
        for (int hop = 0; hop < MOST_HOPS; hop++) {
            ManagedNode here = nodes[at.node()];
            int out = hop == 0 && !here.node.isSwitch() ? port : here.node.isSwitch() ? here.forward(dlid) : 0;
            if (out == 0 || out > here.node.ports()) {
                counts.add(at.node(), at.port(), Counter.SWITCH_RELAY_ERRORS, 1);
                return Delivery.lost(
                        at.node(), at.port(), "The node " + name(at.node()) + " has no output port for LID " + dlid);
            }
            Optional<Place> next = cross(at.node(), out, subnet);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), out, "Port " + out + " of " + name(at.node()) + " has no working link");
            }
            at = next.get();
            ManagedNode there = nodes[at.node()];
            int endport = there.endport(at.port());
            if (there.answersTo(endport, dlid)) {
                return new Delivery(Outcome.FORWARDED, at.node(), endport, "");
            }
        }
        counts.add(at.node(), at.port(), Counter.XMIT_DISCARDS, 1);
        return Delivery.lost(
                at.node(),
                at.port(),
                "LID " + dlid + " is in a forwarding loop: it was not reached after " + MOST_HOPS + " hops");
    }

    private Delivery forth(int node, int port) {
        int hops = smp.hopCount();
        if (hops > SmpHeader.MOST_HOPS
                || smp.hopPointer() != 0
                || smp.drSlid() != SmpHeader.PERMISSIVE
                || smp.drDlid() != SmpHeader.PERMISSIVE) {
            return Delivery.lost(node, port, "The directed route is not one that starts and ends with hops");
        }
        Place at = new Place(node, nodes[node].node.isSwitch() ? 0 : port);
        smp.returnPath(0, at.port());
        for (int hop = 1; hop <= hops; hop++) {
            if (hop > 1 && !nodes[at.node()].node.isSwitch()) {
                return Delivery.lost(
                        at.node(),
                        at.port(),
                        "The directed route continues through " + name(at.node()) + ", which is no switch");
            }
            int out = smp.initialPath(hop);
            Optional<Place> next = cross(at.node(), out, true);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), out, "Port " + out + " of " + name(at.node()) + " has no working link");
            }
            at = next.get();
            smp.returnPath(hop, at.port());
        }
        return new Delivery(Outcome.FORWARDED, at.node(), at.port(), "");
    }

    /** A response of a manager, which names the ports by which the request came. */
    private Delivery back(int node, int port) {
        int hops = smp.hopCount();
        if (hops > SmpHeader.MOST_HOPS) {
            return Delivery.lost(node, port, "The directed route has " + hops + " hops");
        }
        Place at = new Place(node, port);
        for (int hop = hops; hop >= 1; hop--) {
            Optional<Place> next = hop < hops && !nodes[at.node()].node.isSwitch()
                    ? Optional.empty()
                    : cross(at.node(), smp.returnPath(hop), true);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), at.port(), "The return path ends at " + name(at.node()));
            }
            at = next.get();
        }
        return new Delivery(Outcome.FORWARDED, at.node(), nodes[at.node()].endport(at.port()), "");
    }

    /** Moves a packet over a cable; empty if nothing is connected. Subnet management also passes ports that are not active. */
    private Optional<Place> cross(int node, int out, boolean subnet) {
        int cable = out >= 1 && out < NO_PORT ? topology.cableAt(node, out) : -1;
        if (cable < 0) {
            return Optional.empty();
        }
        int peer = topology.peer(node, out);
        int peerPort = topology.peerPort(node, out);
        boolean passes = connected(cable)
                && (subnet
                        || nodes[node].portInfo(out).portState() == Smp.ACTIVE
                                && nodes[peer].portInfo(peerPort).portState() == Smp.ACTIVE);
        if (!passes) {
            counts.add(node, out, Counter.XMIT_DISCARDS, 1);
            return Optional.empty();
        }
        counts.add(node, out, Counter.XMIT_PACKETS, 1);
        counts.add(node, out, Counter.XMIT_DATA, MAD_WORDS);
        counts.add(peer, peerPort, Counter.RCV_PACKETS, 1);
        counts.add(peer, peerPort, Counter.RCV_DATA, MAD_WORDS);
        return Optional.of(new Place(peer, peerPort));
    }

    private String name(int node) {
        return "'" + nodes[node].node.name() + "'";
    }

    // ------------------------------------------------------------------------------------------------------------------ traps

    /** Trap 128: the state of a link of a switch has changed. A later change replaces a trap that is being repeated. */
    private void report(int node) {
        boolean managed = nodes[node].portInfo(0).masterSmLid() != 0;
        if (managed
                && traps.size() < MOST_TRAPS
                && traps.stream().noneMatch(trap -> trap.node() == node && !trap.sent())) {
            traps.removeIf(trap -> trap.node() == node);
            traps.add(new Trap(node, nextTransaction++, REPEATS, false, 0));
        }
    }

    private void acknowledge(int node, long transaction) {
        traps.removeIf(trap -> trap.node() == node && trap.transaction() == (transaction & 0xffff_ffffL));
    }

    /**
     * The next trap that is due. It is repeated until the manager acknowledges it.
     *
     * @param mad where to write it
     * @return where it arrived; empty if none is due
     */
    public Optional<Delivery> pollTrap(long nowNs, MemorySegment mad) {
        for (Trap trap : List.copyOf(traps)) {
            if (!trap.due(nowNs)) {
                continue;
            }
            traps.remove(trap);
            if (trap.repeats() > 0) {
                long againNs = Times.after(nowNs, REPEAT_NS);
                traps.add(new Trap(trap.node(), trap.transaction(), trap.repeats() - 1, true, againNs));
            }
            PortInfo own = nodes[trap.node()].portInfo(0);
            if (nodes[trap.node()].up && own.masterSmLid() != 0 && own.lid() != 0) {
                int manager = own.masterSmLid();
                write(mad, trap, own.lid());
                return Optional.of(send(trap.node(), 0, manager, mad));
            }
        }
        return Optional.empty();
    }

    /** When {@link #pollTrap} has something to do again. */
    public long nextDeadlineNs(long nowNs) {
        long earliest = Times.NEVER;
        for (Trap trap : traps) {
            earliest = Times.earlier(earliest, trap.sent() ? trap.dueNs() : nowNs);
        }
        return earliest;
    }

    private static void write(MemorySegment mad, Trap trap, int lid) {
        mad.fill((byte) 0);
        new MadHeader()
                .wrap(mad, 0)
                .baseVersion(1)
                .mgmtClass(Smp.CLASS_LID_ROUTED)
                .classVersion(1)
                .method(Smp.TRAP)
                .transactionId(trap.transaction())
                .attributeId(Smp.NOTICE);
        new Notice()
                .wrap(mad, SmpHeader.DATA)
                .generic(true)
                .type(1)
                .producerType(2)
                .trapNumber(128)
                .issuerLid(lid)
                .dataLid(lid);
    }
}
