package io.verbena.fabric.traffic;

import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.node.LaneMap;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.topology.Topology;
import java.util.Arrays;

/** The SL-to-VL tables that a subnet manager has written, as flat arrays: one per output port, made when it is used first. */
public final class ManagedLanes implements LaneMap {

    private static final int LEVELS = 16;
    private static final byte[] UNREAD = {};

    private final ManagedFabric managed;
    private final TopologyPorts ports;
    /** By output port: the lane of each level, for each input port. */
    private final byte[][] tables;

    /** The tables of the nodes of a wiring with a number of ports. */
    public ManagedLanes(ManagedFabric managed, TopologyPorts ports, int count) {
        this.managed = managed;
        this.ports = ports;
        tables = new byte[count][];
        Arrays.fill(tables, UNREAD);
    }

    @Override
    public int lane(int in, int out, int level, int lanes) {
        byte[] table = tables[out];
        if (table.length == 0) {
            table = read(out);
            tables[out] = table;
        }
        int input = in == SOURCE ? 0 : ports.localOf(in);
        return table[input * LEVELS + level] % lanes;
    }

    private byte[] read(int out) {
        Topology topology = managed.topology();
        int node = ports.nodeOf(out);
        int inputs = topology.node(node).isSwitch() ? topology.node(node).ports() + 1 : 1;
        byte[] table = new byte[inputs * LEVELS];
        for (int in = 0; in < inputs; in++) {
            for (int level = 0; level < LEVELS; level++) {
                table[in * LEVELS + level] = (byte) managed.virtualLane(node, in, ports.localOf(out), level);
            }
        }
        return table;
    }

    /** The tables of a node have changed. */
    public void forget(int node) {
        for (int port = 1; port <= managed.topology().node(node).ports(); port++) {
            if (ports.port(node, port) >= 0) {
                tables[ports.port(node, port)] = UNREAD;
            }
        }
    }

    /** All tables have changed. */
    public void forgetAll() {
        Arrays.fill(tables, UNREAD);
    }
}
