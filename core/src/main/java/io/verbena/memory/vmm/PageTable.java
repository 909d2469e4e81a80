package io.verbena.memory.vmm;

/**
 * The page table of one virtual segment: page number to {@link PageEntry}. Any thread reads; writers hold the lock of
 * the VMM. A result is valid until the engine of the reader leaves its turn.
 */
interface PageTable {

    /** The entry of a page; {@link PageEntry#NONE} if there is none. */
    long get(long page);

    /** Exchanges an entry if it is what was expected. */
    boolean replace(long page, long expected, long next);

    /** Sets an entry, whatever it was. Under the lock. */
    void put(long page, long entry);
}
