package io.verbena.fabric.traffic;

import io.verbena.fabric.link.LinkCounters;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.management.CountedPorts;
import io.verbena.fabric.management.Counter;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.management.PortCounts;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Traffic over a fabric while a subnet manager manages it. Frames follow the tables that the manager has written and use the links
 * that it has activated; performance management shows what the ports have counted.
 *
 * <p>With several lanes, frames have several service levels, and the SL-to-VL tables of the manager choose their lanes. The tables of
 * lane arbitration and of multicast forwarding are used, too.
 *
 * <p>When the manager or a cable changes something, the traffic stops, the frames on their way are dropped, and the traffic starts
 * again when nothing has changed between two calls of {@link #advance}.
 */
public final class ManagedTraffic implements PortCounts {

    /** Words of 4 bytes, in which ports count data. */
    private static final int WORD = 4;

    private final ManagedFabric managed;
    private final LinkSettings link;
    private final IntFunction<Pattern> pattern;
    private final Load load;
    private final CountedPorts before;
    private TopologyPorts ports;
    private Optional<Traffic> current = Optional.empty();
    private long seen;
    private long deliveredBefore;
    private long discardedBefore;
    private long ticks;

    /**
     * Traffic that starts when a manager has activated links.
     *
     * @param pattern the pattern between a number of endnodes
     * @throws IllegalArgumentException if the topology cannot be simulated
     */
    public ManagedTraffic(ManagedFabric managed, LinkSettings link, IntFunction<Pattern> pattern, Load load) {
        this.managed = managed;
        this.link = link;
        this.pattern = pattern;
        this.load = load;
        before = new CountedPorts(managed.topology());
        Topology topology = managed.topology();
        Wiring wiring = TopologyWiring.of(topology, managed);
        ports = new TopologyPorts(topology, wiring);
        start(wiring, ports);
    }

    /** Lets the traffic run for a time, or start again if nothing has changed since the last call. */
    public void advance(long forTicks) {
        boolean stable = managed.changes() == seen;
        seen = managed.changes();
        if (!stable) {
            stop();
        } else if (current.isEmpty()) {
            Wiring wiring = TopologyWiring.of(managed.topology(), managed);
            ports = new TopologyPorts(managed.topology(), wiring);
            start(wiring, ports);
        }
        if (current.isPresent()) {
            current.get().run(forTicks);
            ticks += forTicks;
        }
    }

    /**
     * Sends a frame from a port to a multicast group, whose copies follow the tables that the manager has written.
     *
     * @param lid of the group
     * @return whether it was sent: the traffic is running, and the port is connected
     */
    public boolean sendToGroup(int node, int port, int lid) {
        int from = ports.port(node, port);
        current.filter(traffic -> from >= 0)
                .ifPresent(traffic -> traffic.fabric().send(from, lid, 0, load.frameBytes()));
        return current.isPresent() && from >= 0;
    }

    /** Whether frames are being sent. */
    public boolean running() {
        return current.isPresent();
    }

    /** Time during which frames were sent. */
    public long ticks() {
        return ticks;
    }

    /** Frames that have arrived. */
    public long delivered() {
        return deliveredBefore
                + current.map(traffic -> traffic.fabric().delivered()).orElse(0L);
    }

    /** Frames that a switch discarded because its table leads nowhere, and those that a change has dropped. */
    public long discarded() {
        return discardedBefore
                + current.map(traffic -> traffic.fabric().discarded()).orElse(0L);
    }

    @Override
    public long count(int node, int port, Counter counter) {
        long live = current.map(traffic -> live(traffic, node, port, counter)).orElse(0L);
        return before.count(node, port, counter) + live;
    }

    private long live(Traffic traffic, int node, int port, Counter counter) {
        return ports.port(node, port) < 0 ? 0 : live(traffic, ports.port(node, port), counter);
    }

    private long live(Traffic traffic, int port, Counter counter) {
        LinkCounters counters = traffic.fabric().counters();
        long words = Math.ceilDiv(load.frameBytes(), WORD);
        return switch (counter) {
            case XMIT_PACKETS -> counters.framesSent(port);
            case XMIT_DATA -> counters.framesSent(port) * words;
            case RCV_PACKETS -> counters.framesReceived(port);
            case RCV_DATA -> counters.framesReceived(port) * words;
            case XMIT_WAIT -> counters.stalledTicks(port);
            case SYMBOL_ERRORS -> counters.flitsDamaged(port);
            default -> 0;
        };
    }

    private void stop() {
        if (current.isEmpty()) {
            return;
        }
        Traffic traffic = current.get();
        for (Node node : managed.topology().nodes()) {
            for (int port = 1; port <= node.ports(); port++) {
                for (Counter counter : Counter.values()) {
                    before.add(node.index(), port, counter, live(traffic, node.index(), port, counter));
                }
            }
        }
        deliveredBefore += traffic.fabric().delivered();
        discardedBefore += traffic.fabric().injected() - traffic.fabric().delivered();
        current = Optional.empty();
    }

    private void start(Wiring wiring, TopologyPorts places) {
        if (wiring.lids() < 2) {
            return;
        }
        if (link.lanes() > 1) {
            wiring.lanes(new ManagedLanes(managed, places, wiring.ports()));
        }
        Traffic traffic = new Traffic(
                wiring,
                link,
                SwitchSettings.DEFAULT,
                pattern.apply(wiring.lids()),
                load,
                (from, to) -> (from + to) % link.lanes());
        new ManagedTables(managed, places).all(traffic.fabric());
        current = Optional.of(traffic);
    }
}
