package io.verbena.tcp.segment;

import io.verbena.base.Slab;
import java.util.ArrayDeque;
import java.util.Deque;

/** Buffers of one size. A few that were returned are kept for the next connections. */
public final class BufferPool {

    private static final int MOST_KEPT = 64;

    private final int slabBytes;
    private final Deque<Slab> free = new ArrayDeque<>();
    private int lent;

    public BufferPool(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    public int slabBytes() {
        return slabBytes;
    }

    /** Number of buffers that were taken and not returned. */
    public int lent() {
        return lent;
    }

    public Slab take() {
        lent++;
        Slab kept = free.pollLast();
        return kept != null ? kept : new Slab(slabBytes);
    }

    public void give(Slab slab) {
        lent--;
        if (free.size() < MOST_KEPT) {
            free.addLast(slab);
        }
    }
}
