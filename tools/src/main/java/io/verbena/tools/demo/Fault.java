package io.verbena.tools.demo;

/** What the server process does wrong on purpose, so that tests see how the demo copes. */
public enum Fault {
    NONE,
    /** Never prints its port. */
    SILENT,
    /** Exits at the first request for an answer, right after the Writes. */
    DIE,
    /** Stops answering at the same moment. */
    STALL,
    /** Changes one byte of what it was given. */
    CORRUPT
}
