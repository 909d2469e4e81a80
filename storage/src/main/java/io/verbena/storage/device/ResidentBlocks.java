package io.verbena.storage.device;

import io.verbena.base.FetchedPages;
import java.lang.foreign.MemorySegment;

/**
 * Which parts of a mapped file are in the page cache, so that a copy does not wait for the medium. The answer is an estimate: the system may
 * evict a page at any time. A part that was found entirely in the cache is not looked up again for a while, because that is a system call.
 * Any thread; a race between threads costs a wrong estimate and nothing else.
 */
final class ResidentBlocks {
    private static final long PART_BYTES = 64 << 10;
    private static final int REMEMBERED = 4096;
    private static final long REMEMBERED_NS = 200_000_000;

    private final MemorySegment file;
    private final long[] parts = new long[REMEMBERED];
    private final long[] sinceNs = new long[REMEMBERED];

    ResidentBlocks(MemorySegment file) {
        this.file = file;
    }

    /** Whether a range is in the page cache. If not, the system begins to fetch it. */
    boolean contains(long at, long bytes) {
        long nowNs = System.nanoTime();
        for (long part = at / PART_BYTES; part * PART_BYTES < at + bytes; part++) {
            if (!remembered(part, nowNs) && !lookUp(part, nowNs)) {
                return loaded(at, bytes);
            }
        }
        return true;
    }

    /** A part is kept as its number plus one. */
    private boolean remembered(long part, long nowNs) {
        int entry = (int) (part % REMEMBERED);
        return parts[entry] == part + 1 && nowNs - sinceNs[entry] < REMEMBERED_NS;
    }

    private boolean lookUp(long part, long nowNs) {
        long from = part * PART_BYTES;
        if (!file.asSlice(from, Math.min(PART_BYTES, file.byteSize() - from)).isLoaded()) {
            return false;
        }
        int entry = (int) (part % REMEMBERED);
        parts[entry] = part + 1;
        sinceNs[entry] = nowNs;
        return true;
    }

    private boolean loaded(long at, long bytes) {
        MemorySegment range = file.asSlice(at, bytes);
        if (range.isLoaded()) {
            return true;
        }
        FetchedPages.begin(range);
        return false;
    }
}
