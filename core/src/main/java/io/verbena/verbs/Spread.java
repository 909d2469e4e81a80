package io.verbena.verbs;

/** How a completion group distributes new connections over its processors. */
public enum Spread {
    /** The processors in turn. */
    ROUND_ROBIN,
    /** The processor with the fewest queue pairs. */
    LEAST_LOADED,
    /** By the host address of the peer: all connections of a host use the same processor. */
    PEER_HASH
}
