package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Gives pages back to the system: a later read finds zeros, and the pages take no space until they are written. What the system refuses has
 * no effect. Any thread.
 */
public final class FreedPages {
    private static final long PAGE_BYTES = 4096;
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_REMOVE = 9;
    private static final Optional<MemoryCalls> CALLS = LinuxMemoryCalls.ofThisProcess();

    private FreedPages() {}

    /** Makes a hole in the file of a shared mapping. Returns whether the system and the file system did that. */
    public static boolean ofFile(MemorySegment mapped) {
        return freed(mapped, MADV_REMOVE);
    }

    /** Frees anonymous memory. Returns whether the system did that. */
    public static boolean ofMemory(MemorySegment memory) {
        return freed(memory, MADV_DONTNEED);
    }

    /** Zeroes memory: its whole pages by {@code free}, the rest by a write. Returns false if {@code free} did. */
    public static boolean zero(MemorySegment memory, Freeing free) {
        long before = Math.min(memory.byteSize(), -memory.address() & PAGE_BYTES - 1);
        long whole = memory.byteSize() - before & -PAGE_BYTES;
        if (whole > 0 && !free.freed(memory.asSlice(before, whole))) {
            return false;
        }
        memory.asSlice(0, before).fill((byte) 0);
        memory.asSlice(before + whole).fill((byte) 0);
        return true;
    }

    /** One of the two ways. */
    @FunctionalInterface
    public interface Freeing {
        boolean freed(MemorySegment pages);
    }

    private static boolean freed(MemorySegment pages, int advice) {
        return CALLS.isPresent() && CALLS.get().advise(pages.address(), pages.byteSize(), advice) == 0;
    }
}
