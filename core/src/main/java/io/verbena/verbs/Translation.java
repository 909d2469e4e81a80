package io.verbena.verbs;

/**
 * One effective address on its way through the tables (Figs. 13 to 16 of the memory seed).
 *
 * @param effectiveAddress where it began
 * @param segmentId its segment ID: which segment table entry
 * @param pageNumber its page number
 * @param pageOffset its page offset
 * @param segmentValid whether the segment table has a valid entry
 * @param segmentLength bytes of the segment
 * @param segmentWritable its protection
 * @param upperVirtualAddress what the entry maps the segment to
 * @param virtualAddress the whole virtual address
 * @param pageValid whether the page is in a frame
 * @param pageWritable the page's protection
 * @param pageUsed whether it was accessed lately
 * @param pageChanged whether it was written since it came
 * @param frame physical page number
 * @param physicalOffset place in physical memory: the frame pool, or a pinned segment
 * @param pinned whether the memory is contiguous and always there, so that no page table is asked
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
