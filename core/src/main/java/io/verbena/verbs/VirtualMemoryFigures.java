package io.verbena.verbs;

/**
 * Counters and current state of a {@link VirtualMemory}.
 *
 * @param frames number of page frames in the pool
 * @param freeFrames number of free page frames
 * @param segments number of virtual segments
 * @param mappedBytes total length of the segments in bytes
 * @param faults number of page faults
 * @param pagedIn number of pages read from files
 * @param pagedAhead number of these pages that were read ahead, before an access
 * @param evicted number of pages evicted from their frames
 * @param written number of evicted pages that were modified and written
 * @param failedReads number of pages that could not be read
 * @param failedWrites number of failed attempts to write a page
 * @param waiting number of pages that are being waited for now
 */
public record VirtualMemoryFigures(
        int frames,
        int freeFrames,
        int segments,
        long mappedBytes,
        long faults,
        long pagedIn,
        long pagedAhead,
        long evicted,
        long written,
        long failedReads,
        long failedWrites,
        int waiting) {}
