package io.verbena.fabric.traffic;

import io.verbena.base.RandomSource;

/** The destination of each sender. Endnodes are numbered from 0. */
public interface Pattern {

    /** Answer of {@link #next} if an endnode sends nothing. */
    int NONE = -1;

    /** The destination of the next frame of an endnode, or {@link #NONE}. */
    int next(int source, RandomSource random);

    /** Each frame to any other endnode. */
    static Pattern uniform(int nodes) {
        return (source, random) -> {
            int other = random.nextInt(nodes - 1);
            return other < source ? other : other + 1;
        };
    }

    /** Each frame to any endnode, the sender itself included: what queueing theory assumes about a switch. */
    static Pattern uniformWithSelf(int nodes) {
        return (source, random) -> random.nextInt(nodes);
    }

    /** Every endnode to one other, and every endnode from one other, drawn from {@code random}: one cycle through all. */
    static Pattern permutation(int nodes, RandomSource random) {
        int[] order = new int[nodes];
        for (int i = 0; i < nodes; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        int[] to = new int[nodes];
        for (int i = 0; i < nodes; i++) {
            to[order[i]] = order[(i + 1) % nodes];
        }
        return (source, _) -> to[source];
    }

    /** In every dimension of a grid almost half way round: the worst case of a torus with shortest ways. */
    static Pattern tornado(int... sides) {
        return (source, random) -> {
            int rest = source;
            int stride = 1;
            int to = 0;
            for (int side : sides) {
                to += (rest % side + (side + 1) / 2 - 1) % side * stride;
                rest /= side;
                stride *= side;
            }
            return to == source ? NONE : to;
        };
    }

    /** All to one. */
    static Pattern incast(int target) {
        return (source, random) -> source == target ? NONE : target;
    }

    /** Everybody to everybody in turn, each starting with its neighbour. */
    static Pattern allToAll(int nodes) {
        int[] step = new int[nodes];
        return (source, random) -> {
            step[source] = step[source] % (nodes - 1) + 1;
            return (source + step[source]) % nodes;
        };
    }

    /** Every endnode to a random one of the next group of {@code size}: the worst case of a dragonfly with shortest ways. */
    static Pattern nextGroup(int nodes, int size) {
        return (source, random) -> ((source / size + 1) * size + random.nextInt(size)) % nodes;
    }
}
