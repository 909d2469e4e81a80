package io.verbena.tcp;

import java.lang.foreign.MemorySegment;

/** Where a segment is written. */
record Place(MemorySegment memory, long offset) {}
