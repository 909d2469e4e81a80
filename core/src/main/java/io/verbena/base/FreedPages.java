package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Gives pages back to the system: a later read finds zeros, and the pages take no space until they are written. What the system refuses has
 * no effect. Any thread.
 */
public enum FreedPages {
    /** Holes in the file of a shared mapping, if its file system has them. */
    OF_FILE(9),

    /** Anonymous memory. */
    OF_MEMORY(4);

    private static final int PAGE_BYTES = 4096;
    private static final MemorySegment ZEROES = MemorySegment.ofArray(new byte[PAGE_BYTES]);
    private static final Optional<MemoryCalls> CALLS = LinuxMemoryCalls.ofThisProcess();

    /** MADV_REMOVE, MADV_DONTNEED. */
    private final int advice;

    FreedPages(int advice) {
        this.advice = advice;
    }

    /** Frees whole pages. Returns whether the system did that. */
    public boolean free(MemorySegment pages) {
        return free(pages.address(), pages.byteSize());
    }

    private boolean free(long address, long bytes) {
        return CALLS.isPresent() && CALLS.get().advise(address, bytes, advice) == 0;
    }

    /**
     * Zeroes memory: frees its whole pages, and writes the rest where it is not zero, without an object. Returns false
     * if no page could be freed.
     */
    public boolean zero(MemorySegment memory, long offset, long bytes) {
        long address = memory.address() + offset;
        long before = Math.min(bytes, -address & PAGE_BYTES - 1);
        long whole = bytes - before & -PAGE_BYTES;
        if (whole > 0 && !free(address + before, whole)) {
            return false;
        }
        clear(memory, offset, before);
        clear(memory, offset + before + whole, bytes - before - whole);
        return true;
    }

    /** Writing zeros into a hole would make pages of it, hundreds where the system has large ones. */
    private static void clear(MemorySegment memory, long offset, long bytes) {
        if (MemorySegment.mismatch(ZEROES, 0, bytes, memory, offset, offset + bytes) >= 0) {
            MemorySegment.copy(ZEROES, 0, memory, offset, bytes);
        }
    }
}
