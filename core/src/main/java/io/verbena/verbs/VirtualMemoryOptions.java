package io.verbena.verbs;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a {@link VirtualMemory} is made. Start from {@link #defaults()} and change what matters.
 *
 * @param frameBytes size of the pool of page frames: what is in memory at most of all that is pageable
 * @param pageBytes size of a page: a power of two, 4096 or more for direct I/O
 * @param tables how its page table is made
 * @param readAheadPages most pages that are brought in ahead of sequential access, 0 for none
 * @param pagers threads that bring pages in and out
 * @param direct whether files are opened so that the operating system's cache does not stand in for the pool, where the
 *     file system can
 * @param swapDirectory where memory without a file of its own goes, empty for the system's directory for temporary files
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

    /** 64 MiB of frames of 4 KiB, one array a segment for all processes, 32 pages ahead, 4 pagers, direct I/O. */
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
