package io.verbena.fabric.traffic;

import io.verbena.fabric.link.LaneTables;
import io.verbena.fabric.link.LaneTables.Weight;
import io.verbena.fabric.mad.MulticastForwardingTable;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.VlArbitrationTable;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.node.Wiring;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lets a fabric use the tables of lane arbitration and of multicast forwarding that a subnet manager has written. */
public final class ManagedTables {

    /** Parts of a VLArbitrationTable, in the upper half of the attribute modifier. */
    private static final int LOW = 1;

    private static final int HIGH = 3;
    /** VLHighLimit counts units of 4096 bytes; a flit has 64. */
    private static final int FLITS_PER_UNIT = 64;

    private static final int NO_LIMIT = 255;
    private static final int PORTS_PER_MASK = 16;

    private final ManagedFabric managed;
    private final TopologyPorts ports;

    /** The tables of these nodes, for the wiring with these ports. */
    public ManagedTables(ManagedFabric managed, TopologyPorts ports) {
        this.managed = managed;
        this.ports = ports;
    }

    /** All tables of all nodes take effect. */
    public void all(Fabric fabric) {
        for (int node = 0; node < managed.topology().nodes().size(); node++) {
            arbitration(fabric, node);
            for (int block = 0; block < ManagedFabric.MULTICAST_LIDS / MulticastForwardingTable.ENTRIES; block++) {
                groups(fabric, node, block);
            }
        }
    }

    /** How the lanes of a node's ports share their links. Ports without a written table keep what they have. */
    public void arbitration(Fabric fabric, int node) {
        for (int port = 1; port <= managed.topology().node(node).ports(); port++) {
            int number = ports.port(node, port);
            if (number >= 0) {
                laneTables(node, port).ifPresent(tables -> fabric.laneTables(number, tables));
            }
        }
    }

    /**
     * The arbitration of a port. A weight is a number of 64 bytes, the payload of a flit. Source: InfiniBand architecture
     * specification, volume 1, section 7.6.9.
     */
    private Optional<LaneTables> laneTables(int node, int port) {
        Optional<byte[]> high = managed.written(node, Smp.VL_ARBITRATION, HIGH << 16 | port);
        Optional<byte[]> low = managed.written(node, Smp.VL_ARBITRATION, LOW << 16 | port);
        if (high.isEmpty() && low.isEmpty()) {
            return Optional.empty();
        }
        PortInfo info = new PortInfo().wrap(managed.portInfo(node, port), 0);
        int limit = info.vlHighLimit();
        return Optional.of(new LaneTables(
                high.map(ManagedTables::weights).orElse(List.of()),
                low.map(ManagedTables::weights).orElse(List.of()),
                limit == NO_LIMIT ? LaneTables.UNLIMITED : Math.max(1, limit * FLITS_PER_UNIT),
                List.of()));
    }

    private static List<Weight> weights(byte[] contents) {
        VlArbitrationTable table = new VlArbitrationTable().wrap(MemorySegment.ofArray(contents), 0);
        List<Weight> weights = new ArrayList<>();
        for (int i = 0; i < VlArbitrationTable.ENTRIES; i++) {
            // Lane 15 is that of management.
            if (table.vl(i) < 15) {
                weights.add(new Weight(table.vl(i), table.weight(i)));
            }
        }
        return weights;
    }

    /** The multicast forwarding of a switch for a block of groups. */
    public void groups(Fabric fabric, int node, int block) {
        if (ports.switchNumber(node) < 0) {
            return;
        }
        int count = managed.topology().node(node).ports();
        long[][] sets = new long[MulticastForwardingTable.ENTRIES][count + Long.SIZE - 1 >> 6];
        boolean any = false;
        for (int position = 0; position * PORTS_PER_MASK <= count; position++) {
            Optional<byte[]> written = managed.written(node, Smp.MULTICAST_FORWARDING, position << 28 | block);
            any |= written.isPresent();
            written.ifPresent(new Masks(sets, position * PORTS_PER_MASK, count)::add);
        }
        for (int entry = 0; entry < sets.length && any; entry++) {
            int lid = Wiring.MULTICAST + block * MulticastForwardingTable.ENTRIES + entry;
            fabric.group(ports.switchNumber(node), lid, sets[entry]);
        }
    }

    /** Adds 16 ports to the sets of a block. Port 0, the switch itself, is not a link. */
    private record Masks(long[][] sets, int first, int count) {
        void add(byte[] contents) {
            MulticastForwardingTable table = new MulticastForwardingTable().wrap(MemorySegment.ofArray(contents), 0);
            for (int entry = 0; entry < sets.length; entry++) {
                for (int bit = 0; bit < PORTS_PER_MASK; bit++) {
                    int port = first + bit;
                    if ((table.mask(entry) >> bit & 1) != 0 && port >= 1 && port <= count) {
                        sets[entry][port - 1 >> 6] |= 1L << port - 1;
                    }
                }
            }
        }
    }
}
