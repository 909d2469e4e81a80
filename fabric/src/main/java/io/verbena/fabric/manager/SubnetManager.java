package io.verbena.fabric.manager;

import io.verbena.base.Times;
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
    private static final long DEFAULT_PREFIX = 0xfe80_0000_0000_0000L;
    private static final int MOST_SWEEPS_IN_A_ROW = 8;

    /**
     * How to manage.
     *
     * @param routing the routing engine; up/down if it cannot route the subnet
     * @param lmc LID mask control of adapters: they get 2^lmc LIDs
     * @param sweepNs time between sweeps that are caused by nothing
     * @param responseNs time after which a request is repeated
     * @param lanes virtual lanes for data, 1, 2, 4 or 8: service level s uses lane s modulo this number. 0 to leave the tables of
     *     service levels as they are
     * @param prefix first half of all GIDs of the subnet
     */
    public record Options(Routing routing, int lmc, long sweepNs, long responseNs, int lanes, long prefix) {

        /** Up/down routes, one LID per port, a sweep every ten seconds. */
        public static final Options DEFAULT =
                new Options(Routing.UP_DOWN, 0, 10_000_000_000L, Requests.RESPONSE_NS, 0, DEFAULT_PREFIX);

        /** Checks the values. */
        public Options {
            if (lmc < 0 || lmc > 7 || sweepNs <= 0 || responseNs <= 0) {
                throw new IllegalArgumentException("The LMC is 0 to 7 and times are positive, not " + lmc + ", "
                        + sweepNs + " ns and " + responseNs + " ns");
            }
            if (lanes < 0 || lanes > 8 || Integer.bitCount(lanes) > 1) {
                throw new IllegalArgumentException("Data can have 1, 2, 4 or 8 lanes, not " + lanes);
            }
        }

        /** With the usual times, without tables of service levels. */
        public Options(Routing routing, int lmc, long sweepNs) {
            this(routing, lmc, sweepNs, Requests.RESPONSE_NS, 0, DEFAULT_PREFIX);
        }

        /** The same with another routing engine. */
        public Options with(Routing value) {
            return new Options(value, lmc, sweepNs, responseNs, lanes, prefix);
        }

        /** The same with another LMC. */
        public Options withLmc(int value) {
            return new Options(routing, value, sweepNs, responseNs, lanes, prefix);
        }

        /** The same with other times. */
        public Options withTimes(long sweep, long response) {
            return new Options(routing, lmc, sweep, response, lanes, prefix);
        }

        /** The same with lanes for data. */
        public Options withLanes(int value) {
            return new Options(routing, lmc, sweepNs, responseNs, value, prefix);
        }

        /** The same with another prefix. */
        public Options withPrefix(long value) {
            return new Options(routing, lmc, sweepNs, responseNs, lanes, value);
        }
    }

    private final Options options;
    private final Requests requests;
    private final Configuration configuration;
    private final Map<Long, Integer> assigned = new HashMap<>();
    private final MadHeader header = new MadHeader();
    private Discovery discovery;
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
        requests = new Requests(options.responseNs());
        configuration = new Configuration(requests, options.lanes(), options.prefix());
        discovery = new Discovery(requests);
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
                configuration.activate(discovery.nodes(), Smp.ARMED);
            }
            case ARMING -> {
                phase = Phase.ACTIVATION;
                configuration.activate(discovery.nodes(), Smp.ACTIVE);
            }
            case ACTIVATION -> {
                phase = Phase.UP;
                changed |= configuration.refused();
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

    /**
     * LIDs that were assigned before remain, also those that another manager has assigned; new endports get the next free ones, in the order
     * in which they were found.
     */
    private void assign() {
        Map<Long, PortAddress> addresses = new HashMap<>();
        boolean[] taken = new boolean[LAST_LID + 1];
        assigned.forEach((guid, lid) -> take(taken, lid, 1 << options.lmc()));
        keep(taken);
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
                configuration.address(
                        node,
                        port,
                        addresses.getOrDefault(Discovery.key(node.index, port), new PortAddress(0, 0, 0)),
                        managerLid);
            }
        }
    }

    /** Endports that have LIDs already keep them, if these are free. */
    private void keep(boolean[] taken) {
        for (Seen node : discovery.nodes()) {
            for (int port : node.routes.keySet()) {
                int own = node.portInfo(port).lid();
                long guid = node.guids.getOrDefault(port, 0L);
                if (!assigned.containsKey(guid) && mayKeep(taken, own)) {
                    assigned.put(guid, own);
                    take(taken, own, 1 << options.lmc());
                }
            }
        }
    }

    private boolean mayKeep(boolean[] taken, int lid) {
        int count = 1 << options.lmc();
        boolean free = lid > 0 && lid % count == 0 && lid + count - 1 <= LAST_LID;
        for (int i = lid; free && i < lid + count; i++) {
            free = !taken[i];
        }
        return free;
    }

    private void routes() {
        Optional<byte[][]> tables = options.routing().tables(subnet);
        used = tables.isPresent() ? options.routing() : Routing.UP_DOWN;
        byte[][] all = tables.or(() -> Routing.UP_DOWN.tables(subnet)).orElseGet(() -> new byte[0][]);
        for (Seen node : discovery.nodes()) {
            byte[] table = node.index < all.length ? all[node.index] : new byte[0];
            if (node.kind == NodeKind.SWITCH && table.length > 0) {
                configuration.table(node, table);
            }
            configuration.levels(node);
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
}
