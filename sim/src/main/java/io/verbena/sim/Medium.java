package io.verbena.sim;

/** What carries the connections of a World. Each medium has the faults that it allows, by a plan of the seed. */
public enum Medium {
    /** Byte streams, as the TCP of an operating system offers them. */
    STREAMS,
    /** A TCP that delivers segments late, repeatedly, cut anywhere and in any order. */
    SEGMENTS,
    /** Streams through shared memory. */
    SHARED_MEMORY,
    /** The TCP of the library over packets that are lost, duplicated, reordered and corrupted. */
    TCP,
    /** RoCE over such packets: after a loss everything is sent again. */
    ROCE_GO_BACK_N,
    /** RoCE over such packets: after a loss only what is missing is sent again. */
    ROCE_SELECTIVE;

    /** Hosts of the World use this medium. Precedes the first host. */
    public World in(World world) {
        return switch (this) {
            case STREAMS -> world;
            case SEGMENTS -> world.withSegments();
            case SHARED_MEMORY -> world.withSharedMemory();
            case TCP -> world.withTcp();
            case ROCE_GO_BACK_N -> world.withRoce(false);
            case ROCE_SELECTIVE -> world.withRoce(true);
        };
    }

    /** Whether connections are those of RoCE. */
    public boolean roce() {
        return this == ROCE_GO_BACK_N || this == ROCE_SELECTIVE;
    }

    /** Whether packets may be lost, so that a message may be late by seconds. */
    public boolean loses() {
        return this == TCP || roce();
    }
}
