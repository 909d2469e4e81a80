package io.verbena.fabric.endnode;

import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Wiring;
import io.verbena.ib.packet.SubnetView;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The multicast groups of a network: what the subnet administrator assigns when endnodes join. A group has a LID and a tree of links that
 * connects all switches of a subnet; a switch sends its frames to its members and to those links of the tree behind which there are
 * members. So an endnode that is no member can send to the group. Groups do not cross routers.
 */
final class FabricGroups {

    private static final int MOST = 1024;
    private static final int MULTICAST_PREFIX = 0xff;

    private final EndnodePorts ports;
    /** By their LIDs. */
    private final List<Group> groups = new ArrayList<>();

    private Writer writer = Fabric::group;

    /** A group with the two halves of its GID. */
    private record Group(long high, long low, int lid, Set<Integer> members) {}

    /** Writes the entry of a switch for a group: into the fabric, or into the tables of a managed one. */
    @FunctionalInterface
    interface Writer {
        void group(Fabric fabric, int node, int lid, long[] out);
    }

    FabricGroups(EndnodePorts ports) {
        this.ports = ports;
    }

    void writer(Writer other) {
        writer = other;
    }

    /** Whether the first half of a GID is that of a multicast address. */
    static boolean multicast(long gidHigh) {
        return gidHigh >>> 56 == MULTICAST_PREFIX;
    }

    /** The LID of a group; {@link SubnetView#NO_LID} if no endnode has joined it. */
    int lid(long high, long low) {
        int index = find(high, low);
        return index < 0 ? SubnetView.NO_LID : Wiring.MULTICAST + index;
    }

    private int find(long high, long low) {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).high() == high && groups.get(i).low() == low) {
                return i;
            }
        }
        return -1;
    }

    /** Whether an endnode is a member of the group of a LID. */
    boolean member(int lid, int endnode) {
        int index = lid - Wiring.MULTICAST;
        return index >= 0
                && index < groups.size()
                && groups.get(index).members().contains(endnode);
    }

    void join(Fabric fabric, int endnode, long high, long low) throws IOException {
        int index = find(high, low);
        if (index < 0 && groups.size() == MOST) {
            throw new IOException("the fabric has had " + MOST + " multicast groups, the size of its tables");
        }
        if (index < 0) {
            index = groups.size();
            groups.add(new Group(high, low, Wiring.MULTICAST + index, new LinkedHashSet<>()));
        }
        Group group = groups.get(index);
        group.members().add(endnode);
        route(fabric, group);
    }

    /** The group keeps its LID without members. */
    void leave(Fabric fabric, int endnode, long high, long low) {
        int index = find(high, low);
        if (index >= 0 && groups.get(index).members().remove(endnode)) {
            route(fabric, groups.get(index));
        }
    }

    /** Computes all trees again, over the links that work. */
    void reroute(Fabric fabric) {
        groups.forEach(group -> route(fabric, group));
    }

    private void route(Fabric fabric, Group group) {
        Wiring wiring = fabric.wiring();
        boolean[] seen = new boolean[wiring.nodes()];
        for (int node = 0; node < wiring.nodes(); node++) {
            if (wiring.isSwitch(node) && !seen[node]) {
                new Tree(fabric, group).from(node, seen);
            }
        }
    }

    /** The tree of one subnet, as wide as possible: breadth first from its first switch. */
    private final class Tree {
        private final Fabric fabric;
        private final Wiring wiring;
        private final Group group;
        private final int[] order;
        /** For each switch its port to the one before it in the tree; -1 for the first. */
        private final int[] up;
        /** Members at each switch and behind the tree's links from it, away from the first switch. */
        private final int[] below;

        Tree(Fabric fabric, Group group) {
            this.fabric = fabric;
            this.group = group;
            wiring = fabric.wiring();
            order = new int[wiring.nodes()];
            up = new int[wiring.nodes()];
            below = new int[wiring.nodes()];
            Arrays.fill(up, -1);
        }

        void from(int root, boolean[] seen) {
            int count = 0;
            ArrayDeque<Integer> queue = new ArrayDeque<>();
            queue.add(root);
            seen[root] = true;
            while (!queue.isEmpty()) {
                int node = queue.remove();
                order[count++] = node;
                for (int port = wiring.port(node, 1); port < end(node); port++) {
                    int peer = fabric.works(port) ? wiring.peer(port) : -1;
                    if (peer < 0) {
                        continue;
                    }
                    int next = wiring.nodeOf(peer);
                    if (!wiring.isSwitch(next)) {
                        below[node] += isMember(peer) ? 1 : 0;
                    } else if (!seen[next]) {
                        seen[next] = true;
                        up[next] = peer;
                        queue.add(next);
                    }
                }
            }
            for (int i = count - 1; i > 0; i--) {
                below[wiring.nodeOf(wiring.peer(up[order[i]]))] += below[order[i]];
            }
            for (int i = 0; i < count; i++) {
                writer.group(fabric, order[i], group.lid(), outputs(order[i], below[root]));
            }
        }

        private int end(int node) {
            return wiring.port(node, 1) + wiring.portCount(node);
        }

        /** An endnode is a member by its first port. */
        private boolean isMember(int endport) {
            int lid = wiring.lid(endport);
            return ports.local(lid) == 0 && group.members().contains(ports.endnodeOf(lid));
        }

        private long[] outputs(int node, int members) {
            long[] out = new long[wiring.words(node)];
            for (int port = wiring.port(node, 1); port < end(node); port++) {
                int peer = fabric.works(port) ? wiring.peer(port) : -1;
                if (peer < 0) {
                    continue;
                }
                int next = wiring.nodeOf(peer);
                boolean leads = !wiring.isSwitch(next)
                        ? isMember(peer)
                        : port == up[node] ? below[node] < members : peer == up[next] && below[next] > 0;
                if (leads) {
                    int bit = wiring.local(port) - 1;
                    out[bit >> 6] |= 1L << bit;
                }
            }
            return out;
        }
    }
}
