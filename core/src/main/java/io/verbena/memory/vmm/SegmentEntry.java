package io.verbena.memory.vmm;

/**
 * A segment table entry (Fig. 14 of the memory seed): what an effective segment ID is mapped to. One that is not valid does
 * not stand in the table at all.
 *
 * @param id effective segment ID
 * @param length bytes that may be accessed
 * @param writable its protection in this process
 * @param segment the virtual segment: upper virtual address, and what is behind it
 * @param table its page table as this process uses it
 */
record SegmentEntry(int id, long length, boolean writable, VirtualSegment segment, PageTable table) {

    /** Whether a range that begins at a byte of it lies inside. */
    boolean covers(long within, long bytes) {
        return within <= length - bytes;
    }
}
