package io.verbena.fabric.endnode;

import io.verbena.base.Times;
import io.verbena.fabric.mad.LinearForwardingTable;
import io.verbena.fabric.mad.MulticastForwardingTable;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.Delivery;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.ManagedSubnet;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.ManagedLanes;
import io.verbena.fabric.traffic.ManagedTables;
import io.verbena.sim.World;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/**
 * Subnet managers at work while the network carries traffic, one for each subnet. Their datagrams take time, but no place on links; what they set takes effect in the
 * fabric when a node executes it, entry by entry. A frame keeps the output that was chosen for it, so that paths which stay lose nothing.
 */
final class LiveSubnet {

    /** From a request of the manager to the response, software of both sides included. */
    private static final long DATAGRAM_NS = 5_000;

    private final ManagedFabric managed;
    private final List<ManagedSubnet> subnets;
    private final TopologyPorts ports;
    private final ManagedTables tables;
    private final ManagedLanes lanes;
    private final FabricCarrier carrier;
    private final World world;
    private final int tableLids;
    private final long offsetNs;
    private final MadHeader header = new MadHeader();
    private final MemorySegment mad = MemorySegment.ofArray(new byte[SmpHeader.MAD_LENGTH]);
    private long wakeAtNs;
    private boolean waking;

    /** Takes over from managers that have brought their subnets up before the time of the World begins. */
    LiveSubnet(
            ManagedFabric managed,
            List<ManagedSubnet> subnets,
            TopologyPorts ports,
            ManagedLanes lanes,
            FabricCarrier carrier,
            World world) {
        this.managed = managed;
        this.subnets = List.copyOf(subnets);
        this.ports = ports;
        tables = new ManagedTables(managed, ports);
        this.lanes = lanes;
        this.carrier = carrier;
        this.world = world;
        tableLids = carrier.fabric().wiring().lids() + 1
                << carrier.fabric().wiring().lmc();
        offsetNs = subnets.stream().mapToLong(ManagedSubnet::nowNs).max().orElseThrow() - world.elapsedNs();
        change(fabric -> {
            for (int node = 0; node < managed.topology().nodes().size(); node++) {
                table(fabric, node);
            }
            for (int cable = 0; cable < managed.topology().cables().size(); cable++) {
                cable(fabric, cable);
            }
        });
        lanes.forgetAll();
        change(tables::all);
        carrier.groups().writer(this::group);
        work();
    }

    /** Writes the entry of a switch for a group into the tables that management shows, and lets it take effect. */
    private void group(Fabric fabric, int number, int lid, long[] out) {
        int node = ports.nodeOf(fabric.wiring().port(number, firstConnected(fabric, number)));
        int index = lid - Wiring.MULTICAST;
        int block = index / MulticastForwardingTable.ENTRIES;
        for (int position = 0; position * 16 <= managed.topology().node(node).ports(); position++) {
            int modifier = position << 28 | block;
            byte[] contents = managed.written(node, Smp.MULTICAST_FORWARDING, modifier)
                    .orElseGet(() -> new byte[MulticastForwardingTable.LENGTH]);
            int mask = 0;
            for (int bit = 0; bit < 16; bit++) {
                int port = position * 16 + bit - 1;
                boolean set = port >= 0 && port >> 6 < out.length && (out[port >> 6] >> port & 1) != 0;
                mask |= set ? 1 << bit : 0;
            }
            new MulticastForwardingTable()
                    .wrap(MemorySegment.ofArray(contents), 0)
                    .mask(index % MulticastForwardingTable.ENTRIES, mask);
            managed.write(node, Smp.MULTICAST_FORWARDING, modifier, contents);
        }
        tables.groups(fabric, node, block);
    }

    private static int firstConnected(Fabric fabric, int number) {
        int port = 1;
        while (fabric.wiring().peer(fabric.wiring().port(number, port)) < 0) {
            port++;
        }
        return port;
    }

    /** The manager of the first subnet. */
    SubnetManager manager() {
        return subnets.getFirst().manager();
    }

    /** What it manages. */
    ManagedFabric managed() {
        return managed;
    }

    private long nowNs() {
        return world.elapsedNs() + offsetNs;
    }

    private void change(Consumer<Fabric> change) {
        carrier.change(world.elapsedNs(), change);
    }

    // Faults.

    /** Unplugs the cable at a port of the fabric, or plugs it in. */
    void link(int port, boolean works) {
        int cable = managed.topology().cableAt(ports.nodeOf(port), ports.localOf(port));
        managed.cable(cable, works);
        change(fabric -> cable(fabric, cable));
        work();
    }

    /** Switches the node of a port off or on. It has lost its tables when it is on again. */
    void node(int port, boolean works) {
        int node = ports.nodeOf(port);
        managed.node(node, works);
        change(fabric -> {
            table(fabric, node);
            cables(fabric, node);
        });
        lanes.forget(node);
        work();
    }

    // The manager.

    private void work() {
        long nowNs = nowNs();
        ManagedSubnet.takeTraps(subnets, nowNs);
        long nextNs = managed.nextDeadlineNs(nowNs);
        for (ManagedSubnet subnet : subnets) {
            subnet.manager().onTime(nowNs);
            while (subnet.manager().poll(mad, nowNs)) {
                exchange(subnet);
            }
            nextNs = Times.earlier(nextNs, subnet.manager().nextDeadlineNs());
        }
        wakeAt(nextNs, nowNs);
    }

    private void wakeAt(long nextNs, long nowNs) {
        if (nextNs != Times.NEVER && (!waking || nextNs - wakeAtNs < 0)) {
            waking = true;
            wakeAtNs = nextNs;
            world.after(Math.max(1, nextNs - nowNs), () -> wake(nextNs));
        }
    }

    private void wake(long atNs) {
        if (waking && wakeAtNs == atNs) {
            waking = false;
            work();
        }
    }

    private void exchange(ManagedSubnet subnet) {
        header.wrap(mad, 0);
        boolean set = header.method() == Smp.SET;
        int attribute = header.attributeId();
        int modifier = header.attributeModifier();
        Delivery delivery = subnet.send(mad);
        if (delivery.outcome() != Delivery.Outcome.ANSWERED) {
            return;
        }
        if (set) {
            takeEffect(delivery.node(), attribute, modifier);
        }
        MemorySegment response =
                MemorySegment.ofArray(new byte[SmpHeader.MAD_LENGTH]).copyFrom(mad);
        world.after(DATAGRAM_NS, () -> {
            subnet.manager().onResponse(response);
            work();
        });
    }

    private void takeEffect(int node, int attribute, int modifier) {
        switch (attribute) {
            case Smp.LINEAR_FORWARDING ->
                change(fabric -> block(fabric, node, modifier * LinearForwardingTable.ENTRIES));
            case Smp.SWITCH_INFO -> change(fabric -> table(fabric, node));
            case Smp.PORT_INFO ->
                change(fabric -> {
                    cables(fabric, node);
                    tables.arbitration(fabric, node);
                    carrier.groups().reroute(fabric);
                });
            case Smp.SL_TO_VL -> lanes.forget(node);
            case Smp.VL_ARBITRATION -> change(fabric -> tables.arbitration(fabric, node));
            case Smp.MULTICAST_FORWARDING -> change(fabric -> tables.groups(fabric, node, modifier & 0x1ff));
            default -> {
                // Changes no path.
            }
        }
    }

    // The fabric.

    private void table(Fabric fabric, int node) {
        for (int start = 0;
                start < tableLids && ports.switchNumber(node) >= 0;
                start += LinearForwardingTable.ENTRIES) {
            block(fabric, node, start);
        }
    }

    private void block(Fabric fabric, int node, int start) {
        int most = managed.topology().node(node).ports();
        for (int lid = start; lid < Math.min(tableLids, start + LinearForwardingTable.ENTRIES); lid++) {
            int out = managed.outputPort(node, lid);
            fabric.route(ports.switchNumber(node), lid, out <= most ? out : 0);
        }
    }

    private void cables(Fabric fabric, int node) {
        for (int port = 1; port <= managed.topology().node(node).ports(); port++) {
            if (managed.topology().cableAt(node, port) >= 0) {
                cable(fabric, managed.topology().cableAt(node, port));
            }
        }
    }

    private void cable(Fabric fabric, int cable) {
        Topology topology = managed.topology();
        Cable ends = topology.cables().get(cable);
        int port = ports.port(ends.nodeA(), ends.portA());
        if (port < 0) {
            return;
        }
        if (managed.usable(cable)) {
            fabric.repairLink(port);
        } else {
            fabric.breakLink(port);
        }
    }
}
