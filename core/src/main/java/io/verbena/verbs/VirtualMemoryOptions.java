package io.verbena.verbs;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Attributes of a {@link VirtualMemory}. Start from {@link #defaults()} and change what matters.
 *
 * @param frameBytes size of the pool of page frames: the maximum amount of pageable memory that is resident
 * @param pageBytes page size: a power of two, at least 4096 for direct I/O
 * @param tables organization of the page table
 * @param readAheadPages maximum number of pages read ahead of a sequential access; 0 for none
 * @param pagers number of threads that read and write pages
 * @param direct whether files are opened with direct I/O, which bypasses the page cache of the operating system, if the
 *     file system supports it
 * @param swapDirectory directory of the swap file for memory without a file of its own; empty for the system's
 *     temporary directory
 */
public record VirtualMemoryOptions(
        long frameBytes,
        int pageBytes,
        PageTableKind tables,
        int readAheadPages,
        int pagers,
        boolean direct,
        Optional<Path> swapDirectory) {

    /** Checks the ranges. */
    public VirtualMemoryOptions {
        if (readAheadPages < 0 || readAheadPages > 4096) {
            throw new IllegalArgumentException("readAheadPages must be 0 to 4096, not " + readAheadPages);
        }
        if (pagers < 1 || pagers > 64) {
            throw new IllegalArgumentException("pagers must be 1 to 64, not " + pagers);
        }
    }

    /**
     * 64 MiB of frames of 4 KiB, one array per segment for all processes, 32 pages read ahead, 4 pagers, direct I/O.
     */
    public static VirtualMemoryOptions defaults() {
        return new VirtualMemoryOptions(64L << 20, 4096, PageTableKind.SHARED, 32, 4, true, Optional.empty());
    }

    public VirtualMemoryOptions withFrameBytes(long value) {
        return new VirtualMemoryOptions(value, pageBytes, tables, readAheadPages, pagers, direct, swapDirectory);
    }

    public VirtualMemoryOptions withPageBytes(int value) {
        return new VirtualMemoryOptions(frameBytes, value, tables, readAheadPages, pagers, direct, swapDirectory);
    }

    public VirtualMemoryOptions withTables(PageTableKind value) {
        return new VirtualMemoryOptions(frameBytes, pageBytes, value, readAheadPages, pagers, direct, swapDirectory);
    }

    public VirtualMemoryOptions withReadAheadPages(int value) {
        return new VirtualMemoryOptions(frameBytes, pageBytes, tables, value, pagers, direct, swapDirectory);
    }

    public VirtualMemoryOptions withPagers(int value) {
        return new VirtualMemoryOptions(frameBytes, pageBytes, tables, readAheadPages, value, direct, swapDirectory);
    }

    public VirtualMemoryOptions withDirect(boolean value) {
        return new VirtualMemoryOptions(frameBytes, pageBytes, tables, readAheadPages, pagers, value, swapDirectory);
    }

    public VirtualMemoryOptions withSwapDirectory(Path value) {
        return new VirtualMemoryOptions(
                frameBytes, pageBytes, tables, readAheadPages, pagers, direct, Optional.of(value));
    }
}
