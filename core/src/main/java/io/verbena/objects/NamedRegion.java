package io.verbena.objects;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A region that a request names. */
public interface NamedRegion extends MemoryRegion, Named {

    /**
     * Copies bytes of the region for an inline request. The range lies within the region.
     *
     * @throws IllegalArgumentException if the region cannot be read at once
     * @throws IllegalStateException if its memory is gone
     */
    void copyInline(long offset, MemorySegment to, long at, int length);
}
