package io.verbena.tcp.receive;

import io.verbena.base.Slab;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of the receive window, each at its position modulo the capacity.
 *
 * <pre>
 *   | 0 ......................... capacity | tail: the first bytes again |
 * </pre>
 *
 * <p>The first bytes are stored a second time after the end. A range that wraps around is therefore contiguous as long as it is
 * not longer than the tail, and can be offered like any other.
 */
public final class ReceiveRing {

    /** Longest contiguous range that may wrap around, and longest segment. */
    public static final int TAIL = 64 * 1024;

    private final Slab slab;
    private final int capacity;
    private final MemorySegment bytes;

    /** A ring in this memory, which is larger than the tail. */
    ReceiveRing(Slab slab) {
        this.slab = slab;
        this.capacity = slab.capacity() - TAIL;
        this.bytes = slab.segment();
        if (capacity < TAIL) {
            throw new IllegalArgumentException("a receive ring needs at least " + 2 * TAIL + " bytes");
        }
    }

    Slab slab() {
        return slab;
    }

    int capacity() {
        return capacity;
    }

    /** Position of a byte in the slab. */
    int position(long at) {
        return (int) (at % capacity);
    }

    /** Stores bytes, at most as many as the tail has. */
    void put(long at, MemorySegment source, long offset, int count) {
        int position = position(at);
        int part = Math.min(count, capacity - position);
        store(position, source, offset, part);
        if (part < count) {
            store(0, source, offset + part, count - part);
        }
    }

    private void store(int position, MemorySegment source, long offset, int count) {
        MemorySegment.copy(source, offset, bytes, position, count);
        if (position < TAIL) {
            int again = Math.min(count, TAIL - position);
            MemorySegment.copy(source, offset, bytes, (long) capacity + position, again);
        }
    }
}
