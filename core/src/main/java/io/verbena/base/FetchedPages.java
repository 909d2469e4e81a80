package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Lets the system read pages of a mapped file, without waiting for them. Any thread. */
public final class FetchedPages {
    private static final int PAGE_BYTES = 4096;
    private static final int MADV_WILLNEED = 3;
    private static final Optional<MemoryCalls> CALLS = LinuxMemoryCalls.ofThisProcess();

    private FetchedPages() {}

    /** Begins to read the pages of a range, if this process can make the call. */
    public static void begin(MemorySegment range) {
        if (CALLS.isPresent()) {
            long into = range.address() & PAGE_BYTES - 1;
            CALLS.get().advise(range.address() - into, range.byteSize() + into, MADV_WILLNEED);
        }
    }
}
