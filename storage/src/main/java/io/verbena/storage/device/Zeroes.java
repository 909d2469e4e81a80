package io.verbena.storage.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A block of zeroes, as large as the largest block. */
final class Zeroes {
    static final MemorySegment BLOCK = Arena.global().allocate(4096).asReadOnly();

    private Zeroes() {}
}
