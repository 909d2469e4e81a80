package io.verbena.verbs;

/** How new connections are spread over processors. */
public enum Spread {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest queue pairs. */
    LEAST_LOADED,
    /** By the peer's host address: all connections of a host go to one processor. */
    PEER_HASH
}
