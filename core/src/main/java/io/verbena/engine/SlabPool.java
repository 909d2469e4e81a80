package io.verbena.engine;

import io.verbena.base.Slab;
import java.util.ArrayDeque;

/**
 * Slabs for what a connection must keep from one turn to the next: the rest of a frame that was sent in part, bytes that
 * memory was not ready for. Sizes are powers of two; most connections hold none. One engine's own.
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

    /** Gives a slab back; it is dropped when enough are kept. */
    public void give(Slab slab) {
        lent--;
        if (keptBytes + slab.capacity() <= KEPT_BYTES) {
            keptBytes += slab.capacity();
            free[sizeOf(slab.capacity())].addLast(slab);
        }
    }

    /** Slabs that connections hold now. */
    public int lent() {
        return lent;
    }

    private static int sizeOf(int bytes) {
        int size = Math.max(0, 32 - Integer.numberOfLeadingZeros(bytes - 1) - SMALLEST_SHIFT);
        assert size < SIZES : bytes;
        return size;
    }
}
