package io.verbena.tcp;

import io.verbena.base.Slab;
import java.util.ArrayDeque;
import java.util.Deque;

/** Buffers of one size. A few that were returned are kept for the next connections. */
final class BufferPool {

    private static final int MOST_KEPT = 64;

    private final int slabBytes;
    private final Deque<Slab> free = new ArrayDeque<>();
    private int lent;

    BufferPool(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    int slabBytes() {
        return slabBytes;
    }

    /** Number of buffers that were taken and not returned. */
    int lent() {
        return lent;
    }

    Slab take() {
        lent++;
        Slab kept = free.pollLast();
        return kept != null ? kept : new Slab(slabBytes);
    }

    void give(Slab slab) {
        lent--;
        if (free.size() < MOST_KEPT) {
            free.addLast(slab);
        }
    }
}
