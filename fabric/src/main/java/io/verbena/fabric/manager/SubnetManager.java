package io.verbena.fabric.manager;

import io.verbena.base.Times;
import io.verbena.fabric.mad.LinearForwardingTable;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.manager.Discovery.Seen;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.PortAddress;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyBuilder;
import io.verbena.fabric.topology.TopologyException;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A simple, deterministic subnet manager as an engine: it is polled for datagrams and receives responses, traps and the time. A
 * sweep discovers the subnet, assigns LIDs, writes forwarding tables and activates the ports. A trap, or a change during a sweep,
 * causes another sweep; LIDs that it assigned before remain.
 */
public final class SubnetManager {

    /** What it is doing. */
    public enum Phase {
        DISCOVERY,
        ADDRESSES,
        ROUTES,
        ARMING,
        ACTIVATION,
        /** The subnet is up. */
        UP
    }

    private static final int LAST_LID = 0xbfff;
    private static final long SUBNET_PREFIX = 0xfe80_0000_0000_0000L;
    private static final int MOST_SWEEPS_IN_A_ROW = 8;

    /**
     * How to manage.
     *
     * @param routing the routing engine; up/down if it cannot route the subnet
     * @param lmc LID mask control of adapters: they get 2^lmc LIDs
     * @param sweepNs time between sweeps that are caused by nothing
     */
    public record Options(Routing routing, int lmc, long sweepNs) {

        /** Up/down routes, one LID per port, a sweep every ten seconds. */
        public static final Options DEFAULT = new Options(Routing.UP_DOWN, 0, 10_000_000_000L);

        /** Checks the values. */
        public Options {
            if (lmc < 0 || lmc > 7 || sweepNs <= 0) {
                throw new IllegalArgumentException("The LMC is 0 to 7 and the time between sweeps positive, not " + lmc
                        + " and " + sweepNs + " ns");
            }
        }
    }

    private final Options options;
    private final Requests requests = new Requests();
    private final Map<Long, Integer> assigned = new HashMap<>();
    private final MadHeader header = new MadHeader();
    private final Requests.Reply reply = new Requests.Reply() {
        @Override
        public void answered(int status, MemorySegment data) {
            changed |= status != 0;
        }

        @Override
        public void silent() {
            changed = true;
        }
    };

    private Discovery discovery = new Discovery(requests);
    private Phase phase = Phase.UP;
    private Routing used = Routing.UP_DOWN;
    private Topology subnet;
    private boolean changed;
    private boolean started;
    private int sweeps;
    private int sweepsInARow;
    private int managerLid;
    private long nextSweepNs;

    /** A manager that has not begun. */
    public SubnetManager(Options options) {
        this.options = options;
        subnet = NOTHING;
    }

    private static final Topology NOTHING = nothing();

    private static Topology nothing() {
        TopologyBuilder builder = new TopologyBuilder();
        builder.adapter("none", 1);
        return builder.build();
    }

    /** What it is doing. */
    public Phase phase() {
        return phase;
    }

    /** Whether the subnet is up and no change is known. */
    public boolean up() {
        return started && phase == Phase.UP && !changed;
    }

    /** The subnet as the last sweep found it; before the first one, an adapter without a cable. Contains the LIDs; nodes are named by their GUIDs. */
    public Topology subnet() {
        return subnet;
    }

    /** The routing engine of the last sweep: that of the options, or up/down if that one cannot route the subnet. */
    public Routing routing() {
        return used;
    }

    /** Number of sweeps that were begun. */
    public int sweeps() {
        return sweeps;
    }

    /** Number of datagrams that were sent. */
    public long sent() {
        return requests.sent();
    }

    /** Number of requests without a response. */
    public long unanswered() {
        return requests.unanswered();
    }

    // --------------------------------------------------------------------------------------------------------- inputs,
    // outputs

    /** Begins, or begins again, with a sweep. */
    public void sweep(long nowNs) {
        requests.clear();
        started = true;
        changed = false;
        sweeps++;
        phase = Phase.DISCOVERY;
        nextSweepNs = Times.after(nowNs, options.sweepNs());
        discovery = new Discovery(requests);
        discovery.start();
    }

    /** Writes the next datagram: 256 bytes, by directed route from the manager's port. False if there is none now. */
    public boolean poll(MemorySegment mad, long nowNs) {
        while (started) {
            if (requests.poll(mad, nowNs)) {
                return true;
            }
            if (!requests.idle() || phase == Phase.UP && !changed) {
                return false;
            }
            advance(nowNs);
        }
        return false;
    }

    /** Receives a response. Others are ignored. */
    public void onResponse(MemorySegment mad) {
        requests.onResponse(mad);
    }

    /** Receives a trap; the subnet is swept again. The caller acknowledges it with the datagram that {@link #acknowledge} writes. */
    public void onTrap(MemorySegment mad) {
        header.wrap(mad, 0);
        changed |= header.method() == Smp.TRAP && header.attributeId() == Smp.NOTICE;
    }

    /** Turns a trap into its TrapRepress. */
    public void acknowledge(MemorySegment mad) {
        header.wrap(mad, 0).method(Smp.TRAP_REPRESS);
    }

    /** Repeats requests, and sweeps when it is time. */
    public void onTime(long nowNs) {
        requests.onTime(nowNs);
        if (started && phase == Phase.UP && nextSweepNs - nowNs <= 0) {
            sweep(nowNs);
        }
    }

    /** When {@link #onTime} has something to do. */
    public long nextDeadlineNs() {
        return !started ? Times.NEVER : phase == Phase.UP ? nextSweepNs : requests.nextDeadlineNs();
    }

    // ------------------------------------------------------------------------------------------------------------------ phases

    private void advance(long nowNs) {
        switch (phase) {
            case DISCOVERY -> {
                phase = Phase.ADDRESSES;
                assign();
            }
            case ADDRESSES -> {
                phase = Phase.ROUTES;
                routes();
            }
            case ROUTES -> {
                phase = Phase.ARMING;
                ports(Smp.ARMED);
            }
            case ARMING -> {
                phase = Phase.ACTIVATION;
                ports(Smp.ACTIVE);
            }
            case ACTIVATION -> {
                phase = Phase.UP;
                sweepsInARow = changed ? sweepsInARow + 1 : 0;
                if (sweepsInARow >= MOST_SWEEPS_IN_A_ROW) {
                    // A node refuses its configuration: the next sweep is a regular one.
                    changed = false;
                    sweepsInARow = 0;
                }
            }
            case UP -> sweep(nowNs);
        }
    }

    /** LIDs that were assigned before remain; new endports get the next free ones, in the order in which they were found. */
    private void assign() {
        Map<Long, PortAddress> addresses = new HashMap<>();
        boolean[] taken = new boolean[LAST_LID + 1];
        assigned.forEach((guid, lid) -> take(taken, lid, 1 << options.lmc()));
        for (Seen node : discovery.nodes()) {
            for (int port : node.routes.keySet()) {
                int lmc = node.kind == NodeKind.SWITCH ? 0 : options.lmc();
                long guid = node.guids.getOrDefault(port, 0L);
                int lid = assigned.computeIfAbsent(guid, fresh -> free(taken, 1 << lmc));
                if (lid != 0) {
                    take(taken, lid, 1 << options.lmc());
                    addresses.put(Discovery.key(node.index, port), new PortAddress(guid, lid, lmc));
                }
                if (node.index == 0 && node.route(port).length == 0) {
                    managerLid = lid;
                }
            }
        }
        try {
            subnet = discovery.topology(addresses);
        } catch (TopologyException e) {
            // Two nodes claim one name, or a cable moved while the sweep was under way.
            changed = true;
            return;
        }
        for (Seen node : discovery.nodes()) {
            for (int port : node.routes.keySet()) {
                address(node, port, addresses.getOrDefault(Discovery.key(node.index, port), new PortAddress(0, 0, 0)));
            }
        }
    }

    private static void take(boolean[] taken, int lid, int count) {
        for (int i = lid; i < Math.min(lid + count, taken.length); i++) {
            taken[i] = true;
        }
    }

    private int free(boolean[] taken, int count) {
        int step = 1 << options.lmc();
        for (int lid = step; lid + count - 1 <= LAST_LID; lid += step) {
            if (!taken[lid]) {
                return lid;
            }
        }
        return 0;
    }

    private void address(Seen node, int port, PortAddress address) {
        if (address.lid() == 0) {
            return;
        }
        PortInfo fields = node.portInfo(port);
        boolean right = fields.lid() == address.lid()
                && fields.lmc() == address.lmc()
                && fields.masterSmLid() == managerLid
                && fields.gidPrefix() == SUBNET_PREFIX;
        if (!right) {
            fields.lid(address.lid()).lmc(address.lmc()).masterSmLid(managerLid).gidPrefix(SUBNET_PREFIX);
            fields.clientReregister(node.kind != NodeKind.SWITCH);
            write(node, port, 0);
        }
    }

    private void write(Seen node, int port, int state) {
        PortInfo fields =
                node.portInfo(port).portState(state).portPhysicalState(0).linkDownDefaultState(0);
        requests.set(Smp.PORT_INFO, port, node.route(port), node.bytes(port), reply);
        fields.clientReregister(false);
    }

    private void routes() {
        Optional<byte[][]> tables = options.routing().tables(subnet);
        used = tables.isPresent() ? options.routing() : Routing.UP_DOWN;
        byte[][] all = tables.or(() -> Routing.UP_DOWN.tables(subnet)).orElseGet(() -> new byte[0][]);
        MemorySegment block = MemorySegment.ofArray(new byte[LinearForwardingTable.LENGTH]);
        for (Seen node : discovery.nodes()) {
            byte[] table = node.index < all.length ? all[node.index] : new byte[0];
            if (node.kind != NodeKind.SWITCH || table.length == 0) {
                continue;
            }
            Discovery.switchInfo(node).linearFdbTop(table.length - 1).portStateChange(true);
            requests.set(Smp.SWITCH_INFO, 0, node.route(0), node.switchInfo, reply);
            for (int start = 0; start < table.length; start += LinearForwardingTable.ENTRIES) {
                block.fill((byte) 255);
                int count = Math.min(LinearForwardingTable.ENTRIES, table.length - start);
                MemorySegment.copy(MemorySegment.ofArray(table), start, block, 0, count);
                requests.set(Smp.LINEAR_FORWARDING, start / LinearForwardingTable.ENTRIES, node.route(0), block, reply);
            }
        }
    }

    /** Ports that are not active yet, to the next state. */
    private void ports(int state) {
        for (Seen node : discovery.nodes()) {
            for (int port : new ArrayList<>(node.portInfos.keySet())) {
                int before = node.states.getOrDefault(port, Smp.DOWN);
                boolean external = node.kind != NodeKind.SWITCH || port > 0;
                if (external && before >= Smp.INITIALIZE && before < state) {
                    node.states.put(port, state);
                    write(node, port, state);
                }
            }
        }
    }
}
