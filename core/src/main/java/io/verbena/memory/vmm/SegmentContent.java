package io.verbena.memory.vmm;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What a virtual segment consists of: the pages of a store, or pinned memory.
 *
 * @param store the pages; empty for pinned memory
 * @param pinned the memory; empty for pages
 * @param giveBack releases the pinned memory
 * @param writable whether the content may be written
 */
record SegmentContent(Optional<PageStore> store, Optional<MemorySegment> pinned, Runnable giveBack, boolean writable) {

    static SegmentContent pages(PageStore store) {
        return new SegmentContent(Optional.of(store), Optional.empty(), () -> {}, store.writable());
    }

    static SegmentContent pinned(MemorySegment memory, Runnable giveBack, boolean writable) {
        return new SegmentContent(Optional.empty(), Optional.of(memory), giveBack, writable);
    }
}
