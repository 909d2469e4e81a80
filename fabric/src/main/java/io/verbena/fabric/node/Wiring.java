package io.verbena.fabric.node;

import io.verbena.fabric.link.LinkTiming;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a fabric consists of: switches, adapters, the links between their ports, and the forwarding tables. Nodes are numbered
 * from 0; the ports of a node from 1; {@link #port} numbers all ports of the fabric from 0.
 *
 * <p>Each port of an adapter has a number, in the order in which adapters were added, from 1 on, and 2^LMC LIDs: its number times
 * 2^LMC and those that follow. The LMC is 0 unless {@link #lmc} sets it. A forwarding table has the port for each LID, and 0 for no port. All
 * inputs of a switch use one table unless a table was given to one of them.
 */
public final class Wiring {
    /** First LID of multicast groups. */
    public static final int MULTICAST = 0xC000;
    /** Most ports of a switch. */
    public static final int MOST_PORTS = 254;
    /** Greatest LID mask control. */
    public static final int MOST_LMC = 7;

    private static final int NONE = -1;
    private static final int[] NO_TABLE = {};
    private static final long[] NO_MASKS = {};

    private final List<Integer> firstPorts = new ArrayList<>();
    private final List<Boolean> switches = new ArrayList<>();
    private int ports;
    private int endports;
    private int lmc;
    private int[] peers = new int[0];
    private int[] nodeOf = new int[0];
    private int[] lidOf = new int[0];
    private LinkTiming[] timings = new LinkTiming[0];
    private final ForwardingBlocks blocks = new ForwardingBlocks();
    private int[][] tables = new int[0][];
    private long[][] choices = new long[0][];
    private long[][] groups = new long[0][];
    private LaneMap lanes = LaneMap.BY_LEVEL;
    private boolean keepsLanes = true;

    /** Adds a switch; returns its number. */
    public int addSwitch(int portCount) {
        if (portCount < 1 || portCount > MOST_PORTS) {
            throw new IllegalArgumentException("a switch with " + portCount + " ports: must have 1 to " + MOST_PORTS);
        }
        return add(portCount, true);
    }

    /** Adds an adapter with a number of ports (LLEs), each with a LID; returns its number. */
    public int addAdapter(int portCount) {
        int node = add(portCount, false);
        for (int p = firstPorts.get(node); p < ports; p++) {
            lidOf[p] = ++endports << lmc;
        }
        return node;
    }

    /** Sets the LID mask control: ports of adapters get 2^lmc LIDs. Precedes the first adapter. */
    public void lmc(int value) {
        if (endports > 0 || value < 0 || value > MOST_LMC) {
            throw new IllegalArgumentException("an LMC of " + value + " after " + endports
                    + " ports with LIDs: it must be 0 to " + MOST_LMC + " and precede the first adapter");
        }
        lmc = value;
    }

    /** The LID mask control. */
    public int lmc() {
        return lmc;
    }

    private int add(int portCount, boolean isSwitch) {
        int node = switches.size();
        switches.add(isSwitch);
        firstPorts.add(ports);
        int old = ports;
        ports += portCount;
        if (ports > peers.length) {
            int length = Math.max(ports, 2 * peers.length);
            peers = Arrays.copyOf(peers, length);
            nodeOf = Arrays.copyOf(nodeOf, length);
            lidOf = Arrays.copyOf(lidOf, length);
            timings = Arrays.copyOf(timings, length);
            tables = Arrays.copyOf(tables, length);
            choices = Arrays.copyOf(choices, length);
            groups = Arrays.copyOf(groups, length);
        }
        Arrays.fill(peers, old, ports, NONE);
        Arrays.fill(nodeOf, old, ports, node);
        Arrays.fill(timings, old, ports, LinkTiming.DEFAULT);
        Arrays.fill(tables, old, ports, NO_TABLE);
        Arrays.fill(choices, old, ports, NO_MASKS);
        Arrays.fill(groups, old, ports, NO_MASKS);
        return node;
    }

    /** Connects two free ports. */
    public void connect(int nodeA, int portA, int nodeB, int portB, LinkTiming timing) {
        int a = port(nodeA, portA);
        int b = port(nodeB, portB);
        if (peers[a] != NONE || peers[b] != NONE || a == b) {
            throw new IllegalArgumentException("cannot connect port " + portA + " of node " + nodeA + " to port "
                    + portB + " of node " + nodeB + ": one of them is connected already");
        }
        peers[a] = b;
        peers[b] = a;
        timings[a] = timing;
        timings[b] = timing;
    }

    /** The number in the fabric of a port of a node. */
    public int port(int node, int port) {
        int first = firstPorts.get(node);
        int end = node + 1 < firstPorts.size() ? firstPorts.get(node + 1) : ports;
        if (port < 1 || port > end - first) {
            throw new IllegalArgumentException("port " + port + " of node " + node + ", which has " + (end - first));
        }
        return first + port - 1;
    }

    /** Sets the forwarding table of a switch for all its inputs: the port for each LID. */
    public void table(int node, short[] portByLid) {
        int first = port(node, 1);
        Arrays.fill(tables, first, first + portCount(node), blocks.table(portByLid));
    }

    /** Sets the forwarding table for frames that come in by one port. */
    public void table(int port, int node, short[] portByLid) {
        tables[port(node, port)] = blocks.table(portByLid);
    }

    /**
     * For adaptive routing: the ports of a switch that lead to each LID, a bit for each from 1 on at bit 0; 0 to use the table. A LID has one
     * long for each 64 ports of the switch, see {@link #words}.
     */
    public void choices(int node, long[] portsByLid) {
        int first = port(node, 1);
        Arrays.fill(choices, first, first + portCount(node), portsByLid);
    }

    /** The ports of a switch, as in {@link #choices}, to which frames of each multicast group go, from {@link #MULTICAST} on. */
    public void groups(int node, long[] portsByGroup) {
        int first = port(node, 1);
        Arrays.fill(groups, first, first + portCount(node), portsByGroup);
    }

    /** Number of longs that a set of the ports of a switch takes. */
    public int words(int node) {
        return PortSet.words(portCount(node));
    }

    /** Sets the SL-to-VL tables, instead of those by which a frame keeps the lane of its level. */
    public void lanes(LaneMap map) {
        lanes = map;
        keepsLanes = false;
    }

    /** Number of nodes. */
    public int nodes() {
        return switches.size();
    }

    /** Number of ports in the fabric. */
    public int ports() {
        return ports;
    }

    /** Number of ports of a node. */
    public int portCount(int node) {
        int end = node + 1 < firstPorts.size() ? firstPorts.get(node + 1) : ports;
        return end - firstPorts.get(node);
    }

    /** Whether a node is a switch. */
    public boolean isSwitch(int node) {
        return switches.get(node);
    }

    /** The node of a port. */
    public int nodeOf(int port) {
        return nodeOf[port];
    }

    /** The number at its node, from 1 on, of a port. */
    public int local(int port) {
        return port - firstPorts.get(nodeOf[port]) + 1;
    }

    /** The number in the fabric of the port at the other end; -1 if there is none. */
    public int peer(int port) {
        return peers[port];
    }

    /** The first LID of an adapter's port; 0 for a port of a switch. */
    public int lid(int port) {
        return lidOf[port];
    }

    /** Number of ports with LIDs: the highest LID if the LMC is 0. */
    public int lids() {
        return endports;
    }

    /** The ports of all adapters, in the order of their LIDs. */
    public int[] endports() {
        int[] result = new int[endports];
        for (int p = 0; p < ports; p++) {
            if (lidOf[p] > 0) {
                result[(lidOf[p] >>> lmc) - 1] = p;
            }
        }
        return result;
    }

    int[] peers() {
        return Arrays.copyOf(peers, ports);
    }

    LinkTiming[] timings() {
        return Arrays.copyOf(timings, ports);
    }

    /** The times of a port's link. */
    public LinkTiming timing(int port) {
        return timings[port];
    }

    /** The port in the fabric by which a frame to a LID leaves a switch that it entered by {@code in}; -1 if no table leads on. */
    public int output(int in, int lid) {
        int out = blocks.port(tables[in], lid);
        return out == 0 || !isSwitch(nodeOf[in]) ? NONE : port(nodeOf[in], out);
    }

    /** The forwarding table of an input, of {@link #blocks}; empty if it has none. */
    int[] tableOf(int port) {
        return tables[port];
    }

    /** The contents of the forwarding tables. */
    ForwardingBlocks blocks() {
        return blocks;
    }

    long[] choicesOf(int port) {
        return choices[port];
    }

    long[] groupsOf(int port) {
        return groups[port];
    }

    /** Whether every frame keeps its lane. */
    boolean keepsLanes() {
        return keepsLanes;
    }

    LaneMap laneMap() {
        return lanes;
    }
}
