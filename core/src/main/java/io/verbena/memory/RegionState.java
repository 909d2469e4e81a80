package io.verbena.memory;

/** States of a region. */
public enum RegionState {
    /** Local work and peers may use it. */
    LIVE,
    /**
     * The remote key was invalidated: peers have no access. Local work continues, and a new key makes the region LIVE
     * again.
     */
    INVALIDATED,
    /** Its memory went away while it was registered. Nothing uses it again; it still has to be closed. */
    LOST,
    /** Deregistered. */
    CLOSED
}
