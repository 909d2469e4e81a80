package io.verbena.verbs;

/** Organization of the page table of a {@link VirtualMemory}. */
public enum PageTableKind {
    /** One table per process: an array per segment. A shared segment has entries in each table. */
    FLAT,
    /** One table for all processes: an array per segment. */
    SHARED,
    /** One table for all processes, sized by the frame pool instead of the mapped memory: a hash table. */
    INVERTED
}
