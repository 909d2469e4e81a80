package io.verbena.fabric.management;

import io.verbena.fabric.topology.Topology;

/** Counts for every port of a topology, in memory. */
public final class CountedPorts implements PortCounts {

    private final long[][] counts;

    /** Zeros for all ports. */
    public CountedPorts(Topology topology) {
        counts = new long[topology.nodes().size()][];
        topology.nodes().forEach(node -> counts[node.index()] = new long[(node.ports() + 1) * Counter.count()]);
    }

    @Override
    public long count(int node, int port, Counter counter) {
        return counts[node][port * Counter.count() + counter.ordinal()];
    }

    /** Adds to a count. */
    public void add(int node, int port, Counter counter, long amount) {
        counts[node][port * Counter.count() + counter.ordinal()] += amount;
    }
}
