package io.verbena.verbs;

/**
 * The translation of one effective address through the segment table and the page table.
 *
 * @param effectiveAddress the address to translate
 * @param segmentId segment ID of the address: index of the segment table entry
 * @param pageNumber page number of the address
 * @param pageOffset offset of the address within the page
 * @param segmentValid whether the segment table entry is valid
 * @param segmentLength length of the segment in bytes
 * @param segmentWritable whether the segment is writable
 * @param upperVirtualAddress upper part of the virtual address, from the segment table entry
 * @param virtualAddress the complete virtual address
 * @param pageValid whether the page is in a frame
 * @param pageWritable whether the page is writable
 * @param pageUsed whether the page was accessed recently
 * @param pageChanged whether the page was written since it was paged in
 * @param frame physical page number
 * @param physicalOffset offset in physical memory: in the frame pool or in a pinned segment
 * @param pinned whether the memory is contiguous and always resident, so that no page table is needed
 */
public record Translation(
        long effectiveAddress,
        int segmentId,
        long pageNumber,
        int pageOffset,
        boolean segmentValid,
        long segmentLength,
        boolean segmentWritable,
        int upperVirtualAddress,
        long virtualAddress,
        boolean pageValid,
        boolean pageWritable,
        boolean pageUsed,
        boolean pageChanged,
        int frame,
        long physicalOffset,
        boolean pinned) {}
