package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places a topology of any shape so that distances in the picture resemble the number of cables between nodes (stress majorization,
 * Gansner et al., 2004). Endnodes with one cable are placed around their switch.
 */
final class Springs {

    private static final double LENGTH = 105;
    private static final int ROUNDS = 120;
    private static final long MOST_WORK = 60_000_000;

    private final Topology topology;
    private final int[] nodes;
    private final int[] number;

    Springs(Topology topology) {
        this.topology = topology;
        nodes = topology.nodes().stream()
                .filter(node -> node.isSwitch() || degree(node) > 1)
                .mapToInt(Node::index)
                .toArray();
        number = new int[topology.nodes().size()];
        Arrays.fill(number, -1);
        for (int i = 0; i < nodes.length; i++) {
            number[nodes[i]] = i;
        }
    }

    private int degree(Node node) {
        return (int) IntStream.rangeClosed(1, node.ports())
                .filter(port -> topology.peer(node.index(), port) >= 0)
                .count();
    }

    void place(Placement placement) {
        int count = nodes.length;
        double[] x = new double[count];
        double[] y = new double[count];
        for (int i = 0; i < count; i++) {
            x[i] = LENGTH * Math.sqrt(count) * StrictMath.cos(2.4 * i) * Math.sqrt((i + 1.0) / count);
            y[i] = LENGTH * Math.sqrt(count) * StrictMath.sin(2.4 * i) * Math.sqrt((i + 1.0) / count);
        }
        int[][] distances = IntStream.range(0, count).mapToObj(this::distances).toArray(int[][]::new);
        int rounds = Math.clamp(MOST_WORK / Math.max(1, (long) count * count), 4, ROUNDS);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < count; i++) {
                improve(i, distances[i], x, y);
            }
        }
        double meanX = Arrays.stream(x).average().orElse(0);
        double meanY = Arrays.stream(y).average().orElse(0);
        for (int i = 0; i < count; i++) {
            placement.x[nodes[i]] = x[i];
            placement.y[nodes[i]] = y[i];
        }
        placement.pitch = LENGTH;
        // Endnodes with several cables have a place already: they keep it.
        double[] keptX = placement.x.clone();
        double[] keptY = placement.y.clone();
        placement.endnodes(
                (at, i, all) -> StrictMath.atan2(keptY[at] - meanY, keptX[at] - meanX)
                        + (i - (all - 1) / 2.0) * Math.min(.5, 5.0 / all),
                36);
        for (int node : nodes) {
            placement.x[node] = keptX[node];
            placement.y[node] = keptY[node];
        }
    }

    /** Moves a node to where its distances to all others fit best. */
    private static void improve(int i, int[] distance, double[] x, double[] y) {
        double sumX = 0;
        double sumY = 0;
        double weights = 0;
        for (int j = 0; j < x.length; j++) {
            if (j == i || distance[j] < 0) {
                continue;
            }
            double wanted = LENGTH * distance[j];
            double weight = 1 / (wanted * wanted);
            double dx = x[i] - x[j];
            double dy = y[i] - y[j];
            double far = Math.max(1e-6, StrictMath.hypot(dx, dy));
            sumX += weight * (x[j] + wanted * dx / far);
            sumY += weight * (y[j] + wanted * dy / far);
            weights += weight;
        }
        if (weights > 0) {
            x[i] = sumX / weights;
            y[i] = sumY / weights;
        }
    }

    private int[] distances(int from) {
        int[] result = new int[nodes.length];
        Arrays.fill(result, -1);
        result[from] = 0;
        ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(from));
        while (!queue.isEmpty()) {
            int at = queue.remove();
            Node node = topology.node(nodes[at]);
            for (int port = 1; port <= node.ports(); port++) {
                int peer = topology.peer(node.index(), port);
                if (peer >= 0 && number[peer] >= 0 && result[number[peer]] < 0) {
                    result[number[peer]] = result[at] + 1;
                    queue.add(number[peer]);
                }
            }
        }
        return result;
    }
}
