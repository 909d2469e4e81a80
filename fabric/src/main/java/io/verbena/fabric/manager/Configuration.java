package io.verbena.fabric.manager;

import io.verbena.fabric.mad.LinearForwardingTable;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.SlToVlMappingTable;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.manager.Discovery.Seen;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.PortAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes the configuration of nodes. It remembers what a node has accepted, and writes only what differs, so that a sweep after a small
 * change is short and tables of paths that stay are not touched. A node that has lost its configuration gets everything again.
 */
final class Configuration {

    private static final int BLOCK = LinearForwardingTable.ENTRIES;
    private static final byte NO_PORT = (byte) 255;

    /** What a node has accepted. */
    private static final class Accepted {
        private byte[] table = {};
        private final Set<Integer> levels = new HashSet<>();

        boolean hasBlock(int start, byte[] wanted) {
            return start + BLOCK <= table.length && Arrays.equals(table, start, start + BLOCK, wanted, 0, BLOCK);
        }

        void block(int start, byte[] contents) {
            int before = table.length;
            if (start + BLOCK > before) {
                table = Arrays.copyOf(table, start + BLOCK);
                Arrays.fill(table, before, table.length, NO_PORT);
            }
            System.arraycopy(contents, 0, table, start, BLOCK);
        }
    }

    private interface Success {
        void accepted();
    }

    private final Requests requests;
    private final int lanes;
    private final long prefix;
    private final Map<Long, Accepted> nodes = new HashMap<>();
    private boolean refused;

    /** @param lanes virtual lanes for data; 0 to leave the tables of service levels as they are */
    Configuration(Requests requests, int lanes, long prefix) {
        this.prefix = prefix;
        this.requests = requests;
        this.lanes = lanes;
    }

    /** Whether a node has refused something, or did not answer, since the last call. */
    boolean refused() {
        boolean some = refused;
        refused = false;
        return some;
    }

    private Accepted accepted(Seen node) {
        return nodes.computeIfAbsent(node.identity.guid(), fresh -> new Accepted());
    }

    private Requests.Reply reply(Seen node, Success success) {
        return new Requests.Reply() {
            @Override
            public void answered(int status, MemorySegment data) {
                if (status == 0) {
                    success.accepted();
                } else {
                    failed(node);
                }
            }

            @Override
            public void silent() {
                failed(node);
            }
        };
    }

    private void failed(Seen node) {
        refused = true;
        nodes.remove(node.identity.guid());
    }

    /** Gives an endport its addresses. */
    void address(Seen node, int port, PortAddress address, int managerLid) {
        if (address.lid() == 0) {
            return;
        }
        PortInfo fields = node.portInfo(port);
        if (fields.masterSmLid() != managerLid) {
            nodes.remove(node.identity.guid());
        }
        boolean right = fields.lid() == address.lid()
                && fields.lmc() == address.lmc()
                && fields.masterSmLid() == managerLid
                && fields.gidPrefix() == prefix;
        if (!right) {
            fields.lid(address.lid()).lmc(address.lmc()).masterSmLid(managerLid).gidPrefix(prefix);
            fields.clientReregister(node.kind != NodeKind.SWITCH);
            write(node, port, 0);
        }
    }

    private void write(Seen node, int port, int state) {
        PortInfo fields =
                node.portInfo(port).portState(state).portPhysicalState(0).linkDownDefaultState(0);
        requests.set(Smp.PORT_INFO, port, node.route(port), node.bytes(port), reply(node, () -> {}));
        fields.clientReregister(false);
    }

    /** Writes the blocks of a switch's forwarding table that differ. */
    void table(Seen node, byte[] table) {
        Accepted known = accepted(node);
        boolean top = Discovery.switchInfo(node).linearFdbTop() != table.length - 1;
        if (top || Discovery.switchInfo(node).portStateChange()) {
            Discovery.switchInfo(node).linearFdbTop(table.length - 1).portStateChange(true);
            requests.set(Smp.SWITCH_INFO, 0, node.route(0), node.switchInfo, reply(node, () -> {}));
        }
        for (int start = 0; start < table.length; start += BLOCK) {
            byte[] wanted = new byte[BLOCK];
            Arrays.fill(wanted, NO_PORT);
            System.arraycopy(table, start, wanted, 0, Math.min(BLOCK, table.length - start));
            if (!known.hasBlock(start, wanted)) {
                int first = start;
                requests.set(
                        Smp.LINEAR_FORWARDING,
                        start / BLOCK,
                        node.route(0),
                        MemorySegment.ofArray(wanted),
                        reply(node, () -> known.block(first, wanted)));
            }
        }
    }

    /** Writes the SL-to-VL tables between all ports of a node that have a link. */
    void levels(Seen node) {
        if (lanes == 0) {
            return;
        }
        for (int out : node.portInfos.keySet()) {
            if (node.kind != NodeKind.SWITCH) {
                levels(node, out, 0);
            } else if (out > 0 && linked(node, out)) {
                for (int in : node.portInfos.keySet()) {
                    if (in == 0 || linked(node, in)) {
                        levels(node, 0, in << 8 | out);
                    }
                }
            }
        }
    }

    private static boolean linked(Seen node, int port) {
        return node.states.getOrDefault(port, Smp.DOWN) >= Smp.INITIALIZE;
    }

    private void levels(Seen node, int port, int modifier) {
        Accepted known = accepted(node);
        int key = port << 16 | modifier;
        if (known.levels.contains(key)) {
            return;
        }
        MemorySegment data = MemorySegment.ofArray(new byte[SmpHeader.DATA_LENGTH]);
        SlToVlMappingTable table = new SlToVlMappingTable().wrap(data, 0);
        for (int level = 0; level < SlToVlMappingTable.ENTRIES; level++) {
            table.vl(level, level % lanes);
        }
        requests.set(Smp.SL_TO_VL, modifier, node.route(port), data, reply(node, () -> known.levels.add(key)));
    }

    /** Ports that are not active yet, to the next state. */
    void activate(List<Seen> all, int state) {
        for (Seen node : all) {
            for (int port : new ArrayList<>(node.portInfos.keySet())) {
                int before = node.states.getOrDefault(port, Smp.DOWN);
                boolean external = node.kind != NodeKind.SWITCH || port > 0;
                if (external && before >= Smp.INITIALIZE && before < state) {
                    node.states.put(port, state);
                    if (lanes > 0) {
                        // OperationalVLs: 1 for VL 0, 2 for VL 0 and 1, 3 for VL 0 to 3, 4 for VL 0 to 7.
                        node.portInfo(port).operationalVls(Integer.numberOfTrailingZeros(lanes) + 1);
                    }
                    write(node, port, state);
                }
            }
        }
    }
}
