package io.verbena.verbs;

/** The state of one path of a connection that has several. */
public enum PathState {
    /** Requests take the path. */
    ACTIVE,
    /** Requests avoid the path until it has answered a probe, unless no other path is left. */
    SUSPECT,
    /** Requests avoid the path. It is probed again later. */
    RETIRED,
    /** The path was retired, and is being probed. */
    PROBING
}
