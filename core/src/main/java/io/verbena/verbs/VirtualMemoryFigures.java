package io.verbena.verbs;

/**
 * Counts of a {@link VirtualMemory}.
 *
 * @param frames page frames of the pool
 * @param freeFrames of them nobody's
 * @param segments virtual segments
 * @param mappedBytes bytes of them
 * @param faults pages that were asked for and not there
 * @param broughtIn pages that came from files
 * @param broughtAhead of them those that nobody had asked for yet
 * @param takenOut pages that left their frames
 * @param written of them those that had been changed
 * @param failedReads pages that could not be read
 * @param failedWrites pages that could not be written, tries counted
 * @param waiting pages that are wanted now
 */
public record VirtualMemoryFigures(
        int frames,
        int freeFrames,
        int segments,
        long mappedBytes,
        long faults,
        long broughtIn,
        long broughtAhead,
        long takenOut,
        long written,
        long failedReads,
        long failedWrites,
        int waiting) {}
