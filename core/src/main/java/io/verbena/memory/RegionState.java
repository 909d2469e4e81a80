package io.verbena.memory;

/** Where a region is in its life. */
public enum RegionState {
    /** Local work and peers may use it. */
    LIVE,
    /** Its remote key was invalidated: no peer gets in. Local work may go on, and a new key makes it LIVE again. */
    INVALIDATED,
    /** Its memory went away while it was registered. Nothing uses it again; it still has to be closed. */
    LOST,
    /** Deregistered. */
    CLOSED
}
