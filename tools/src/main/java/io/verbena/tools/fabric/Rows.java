package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Places a tree in rows: endnodes at the bottom, each level of switches above. Applies if every cable joins two adjacent rows. */
final class Rows {

    private static final double WIDTH = 1500;
    private static final double NARROW = 560;
    private static final double ENDNODE = 11;
    private static final int FAR = Integer.MAX_VALUE / 2;

    private final Topology topology;
    private final int[] level;
    private int top;

    Rows(Topology topology) {
        this.topology = topology;
        level = new int[topology.nodes().size()];
        Arrays.fill(level, FAR);
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        for (Node node : topology.nodes()) {
            if (!node.isSwitch()) {
                level[node.index()] = 0;
                queue.add(node.index());
            }
        }
        while (!queue.isEmpty()) {
            int at = queue.remove();
            for (int port = 1; port <= topology.node(at).ports(); port++) {
                int peer = topology.peer(at, port);
                if (peer >= 0 && level[peer] == FAR) {
                    level[peer] = level[at] + 1;
                    queue.add(peer);
                }
            }
            top = Math.max(top, level[at]);
        }
    }

    boolean apply() {
        boolean switches = top > 0 && Arrays.stream(level).noneMatch(value -> value == FAR);
        return switches
                && topology.cables().stream()
                        .allMatch(cable -> Math.abs(level[cable.nodeA()] - level[cable.nodeB()]) == 1);
    }

    /** The number of the highest row. */
    int top() {
        return top;
    }

    void place(Placement placement) {
        List<List<Integer>> below = new ArrayList<>();
        List<Integer> leaves = row(1);
        int most = 1;
        for (int leaf : leaves) {
            List<Integer> own = new ArrayList<>();
            for (Node node : topology.nodes()) {
                if (!node.isSwitch() && Placement.home(topology, node.index()) == leaf) {
                    own.add(node.index());
                }
            }
            below.add(own);
            most = Math.max(most, own.size());
        }
        int columns = (int) Math.clamp((WIDTH / leaves.size() - 8) / ENDNODE, 1, most);
        double each = Math.max(
                Math.max(columns * ENDNODE + (columns > 1 ? 10 : 1.5), NARROW / leaves.size()),
                Math.min(WIDTH, ENDNODE * longest()) / leaves.size());
        double step = Math.min(each / columns, 22);
        double width = each * leaves.size();
        double gap = Math.clamp(width * .13, 90, 190);
        placement.switchSize = Math.clamp(width / Math.max(leaves.size(), longest()) * .3, 3.5, 9);
        for (int i = 0; i < leaves.size(); i++) {
            double x = each * (i + .5);
            placement.x[leaves.get(i)] = x;
            for (int j = 0; j < below.get(i).size(); j++) {
                int row = j / columns;
                int inRow = Math.min(columns, below.get(i).size() - row * columns);
                int node = below.get(i).get(j);
                placement.x[node] = x + (j % columns - (inRow - 1) / 2.0) * step + row % 2 * step * .3;
                placement.y[node] = Math.max(44, gap * .4) + row * ENDNODE;
            }
        }
        for (int l = 2; l <= top; l++) {
            List<Integer> nodes = row(l);
            sortByNeighbours(nodes, l, placement);
            for (int i = 0; i < nodes.size(); i++) {
                placement.x[nodes.get(i)] = width * (i + .5) / nodes.size();
                placement.y[nodes.get(i)] = -gap * (l - 1);
            }
        }
    }

    private int longest() {
        int most = 1;
        for (int l = 1; l <= top; l++) {
            most = Math.max(most, row(l).size());
        }
        return most;
    }

    /** The nodes of a row; row 0 has the endnodes. */
    List<Integer> row(int number) {
        List<Integer> nodes = new ArrayList<>();
        for (int i = 0; i < level.length; i++) {
            if (level[i] == number) {
                nodes.add(i);
            }
        }
        return nodes;
    }

    /** By the mean position of the nodes below. */
    private void sortByNeighbours(List<Integer> nodes, int row, Placement placement) {
        double[] mean = new double[level.length];
        for (int node : nodes) {
            int count = 0;
            for (int port = 1; port <= topology.node(node).ports(); port++) {
                int peer = topology.peer(node, port);
                if (peer >= 0 && level[peer] == row - 1) {
                    mean[node] += placement.x[peer];
                    count++;
                }
            }
            mean[node] /= Math.max(1, count);
        }
        nodes.sort(Comparator.<Integer>comparingDouble(node -> Math.rint(mean[node]))
                .thenComparing(Comparator.naturalOrder()));
    }
}
