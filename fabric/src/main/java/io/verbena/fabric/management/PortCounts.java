package io.verbena.fabric.management;

/** Where the performance agents find what ports have counted: the simulation of traffic, for example. */
public interface PortCounts {

    /** Total since the start; never decreases. */
    long count(int node, int port, Counter counter);
}
