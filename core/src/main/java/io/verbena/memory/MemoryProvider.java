package io.verbena.memory;

import java.lang.foreign.Arena;

/** Allocates memory for {@code ProtectionDomain.allocate}. */
public interface MemoryProvider {

    /**
     * Allocates zeroed memory, aligned to pages if it has a page or more, else to 64 bytes.
     *
     * @param bytes 1 or more; above 2 GiB works
     * @throws OutOfMemoryError when there is not so much
     */
    Backing allocate(long bytes);

    /** The same memory for a program that keeps it after its region was closed: the garbage collector frees it. */
    default Backing allocateCollected(long bytes) {
        return Backing.collected(Arena.ofAuto().allocate(bytes, OffHeapMemory.PAGE_BYTES));
    }
}
