package io.verbena.tcp.segment;

import java.lang.foreign.MemorySegment;

/** Where a segment is written. */
public record Place(MemorySegment memory, long offset) {}
