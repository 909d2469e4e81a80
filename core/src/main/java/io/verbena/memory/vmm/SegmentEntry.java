package io.verbena.memory.vmm;

/**
 * A segment table entry: the mapping of an effective segment ID. Invalid entries are not in the table.
 *
 * @param id effective segment ID
 * @param length number of accessible bytes
 * @param writable whether this process may write
 * @param segment the virtual segment, with its upper virtual address and its content
 * @param table the page table of this process for the segment
 */
record SegmentEntry(int id, long length, boolean writable, VirtualSegment segment, PageTable table) {

    /** Whether a range that begins at this byte is within the segment. */
    boolean covers(long within, long bytes) {
        return within <= length - bytes;
    }
}
