package io.verbena.verbs;

/** How the page table of a {@link VirtualMemory} is made. */
public enum PageTableKind {
    /** One for each process: an array a segment. A shared segment has entries in each. */
    FLAT,
    /** One for all processes: an array a segment. */
    SHARED,
    /** One for all processes, as large as the frame pool and not as what is mapped: a hash. */
    INVERTED
}
