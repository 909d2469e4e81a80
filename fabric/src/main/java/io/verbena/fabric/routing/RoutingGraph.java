package io.verbena.fabric.routing;

import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** The switches of a topology and the cables between them. Switches are numbered in the order of their nodes. */
final class RoutingGraph {

    /** The distance of what cannot be reached. */
    static final int FAR = Integer.MAX_VALUE / 2;

    /** Whether a step from one switch to a neighbour is permitted. */
    interface Step {
        boolean permitted(int from, int to);
    }

    private final int[] nodes;
    /** For each switch, pairs of an output port and the neighbour that it leads to. */
    private final int[][] links;

    private final boolean[] leaf;

    RoutingGraph(Topology topology) {
        nodes = topology.nodes(NodeKind.SWITCH).stream().mapToInt(Node::index).toArray();
        int[] numbers = new int[topology.nodes().size()];
        for (int i = 0; i < nodes.length; i++) {
            numbers[nodes[i]] = i;
        }
        List<List<Integer>> lists = new ArrayList<>();
        leaf = new boolean[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            lists.add(new ArrayList<>());
            Node node = topology.node(nodes[i]);
            for (int port = 1; port <= node.ports(); port++) {
                int cable = topology.cableAt(node.index(), port);
                if (cable >= 0) {
                    Cable ends = topology.cables().get(cable);
                    int peer = ends.peerOf(node.index(), port);
                    if (!topology.node(peer).isSwitch()) {
                        leaf[i] = true;
                    } else if (peer != node.index()) {
                        lists.get(i).add(port);
                        lists.get(i).add(numbers[peer]);
                    }
                }
            }
        }
        links = lists.stream()
                .map(list -> list.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    int count() {
        return nodes.length;
    }

    /** Index of the node of a switch. */
    int node(int number) {
        return nodes[number];
    }

    /** The switches with endnodes. */
    List<Integer> leaves() {
        return IntStream.range(0, nodes.length).filter(i -> leaf[i]).boxed().toList();
    }

    /** Distances to the nearest of some switches. */
    int[] distances(List<Integer> from) {
        int[] distance = new int[nodes.length];
        Arrays.fill(distance, FAR);
        ArrayDeque<Integer> queue = new ArrayDeque<>(from);
        from.forEach(start -> distance[start] = 0);
        spread(distance, queue, (a, b) -> true);
        return distance;
    }

    /** Distances to a switch over steps that are permitted from the switch outwards: {@code (switch nearer to it, next one)}. */
    int[] search(int target, Step step) {
        int[] distance = new int[nodes.length];
        Arrays.fill(distance, FAR);
        distance[target] = 0;
        spread(distance, new ArrayDeque<>(List.of(target)), step);
        return distance;
    }

    private void spread(int[] distance, ArrayDeque<Integer> queue, Step step) {
        while (!queue.isEmpty()) {
            int at = queue.remove();
            for (int i = 1; i < links[at].length; i += 2) {
                int next = links[at][i];
                if (distance[next] == FAR && step.permitted(at, next)) {
                    distance[next] = distance[at] + 1;
                    queue.add(next);
                }
            }
        }
    }

    /** Shortest distances if a switch without one may step to a neighbour: {@code (switch, neighbour)}. */
    int[] relax(int[] known, Step step) {
        int[] distance = known.clone();
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int at = 0; at < nodes.length; at++) {
                for (int i = 1; known[at] == FAR && i < links[at].length; i += 2) {
                    int next = links[at][i];
                    if (step.permitted(at, next) && distance[next] + 1 < distance[at]) {
                        distance[at] = distance[next] + 1;
                        changed = true;
                    }
                }
            }
        }
        return distance;
    }

    /** The switch whose distances to all others have the smallest sum. */
    int center() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < nodes.length; i++) {
            long sum = Arrays.stream(distances(List.of(i))).asLongStream().sum();
            if (sum < least) {
                least = sum;
                best = i;
            }
        }
        return best;
    }

    /** The output ports of a switch whose neighbours fulfil a condition. */
    int[] ports(int at, IntPredicate neighbour) {
        return IntStream.iterate(0, i -> i < links[at].length, i -> i + 2)
                .filter(i -> neighbour.test(links[at][i + 1]))
                .map(i -> links[at][i])
                .toArray();
    }

    boolean joinsAdjacentLevels(int[] levels) {
        for (int at = 0; at < nodes.length; at++) {
            for (int i = 1; i < links[at].length; i += 2) {
                if (Math.abs(levels[at] - levels[links[at][i]]) != 1) {
                    return false;
                }
            }
        }
        return true;
    }
}
