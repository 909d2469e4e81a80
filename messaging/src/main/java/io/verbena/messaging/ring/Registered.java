package io.verbena.messaging.ring;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The memory of a message, as the RNIC accesses it. */
public interface Registered {

    MemoryRegion region();

    /** Offset in {@link #region} of a message in this memory. */
    long offsetOf(MemorySegment memory, long offset);

    /** The copy that is registered instead of the user's memory; null if the user's memory is registered. */
    @Nullable
    MemorySegment bounce();

    /** The message has been transferred, or is not transferred any more. */
    void release();
}
