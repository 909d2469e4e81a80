package io.verbena.engine;

import io.verbena.base.Slab;
import java.util.ArrayDeque;

/**
 * Slabs for bytes that a connection keeps from one turn to the next: the rest of a frame that was sent in part, received
 * bytes that cannot be placed yet. Sizes are powers of two; most connections hold none. Used by one engine.
 */
public final class SlabPool {

    private static final int SMALLEST_SHIFT = 10;
    private static final int SIZES = 12;
    private static final int KEPT_BYTES = 1 << 20;

    private final ArrayDeque<Slab>[] free;
    private int keptBytes;
    private int lent;

    @SuppressWarnings({"unchecked", "rawtypes"})
    SlabPool() {
        free = new ArrayDeque[SIZES];
        for (int i = 0; i < SIZES; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /** A slab of at least this many bytes. */
    public Slab take(int bytes) {
        int size = sizeOf(bytes);
        Slab slab = free[size].pollLast();
        lent++;
        if (slab == null) {
            return new Slab(1 << SMALLEST_SHIFT + size);
        }
        keptBytes -= slab.capacity();
        return slab;
    }

    /** Returns a slab; it is dropped when enough are kept. */
    public void give(Slab slab) {
        lent--;
        if (keptBytes + slab.capacity() <= KEPT_BYTES) {
            keptBytes += slab.capacity();
            free[sizeOf(slab.capacity())].addLast(slab);
        }
    }

    /** Number of slabs that connections hold. */
    public int lent() {
        return lent;
    }

    private static int sizeOf(int bytes) {
        int size = Math.max(0, 32 - Integer.numberOfLeadingZeros(bytes - 1) - SMALLEST_SHIFT);
        assert size < SIZES : bytes;
        return size;
    }
}
