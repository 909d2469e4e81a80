package io.verbena.ib.paths;

/** What can happen to a path. */
enum PathEvent {
    /** A packet or a probe of the path was answered. */
    ANSWERED,
    /** Many packets of the path were lost. */
    LOSSY,
    /** Packets of other paths were answered, and one that was sent earlier on this path was not; or a probe was not. */
    SILENT,
    /** The pause after the path was retired has ended. */
    PAUSED,
    /** Several probes in a row were answered. */
    REVIVED
}
