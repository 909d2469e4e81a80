package io.verbena.hardware.provider.request;

/**
 * The receives of a shared receive queue that an adapter has. Messages of several queue pairs use them, so that they are done in another
 * order than that of posting. One thread posts; every thread that polls gives slots back.
 */
public final class SharedSlots {

    private final long[] wrIds;
    private final int[] free;
    private int count;

    public SharedSlots(int depth) {
        wrIds = new long[depth];
        free = new int[depth];
        count = depth;
        for (int i = 0; i < depth; i++) {
            free[i] = depth - 1 - i;
        }
    }

    public int depth() {
        return wrIds.length;
    }

    /** A free slot; -1 if there is none. */
    public synchronized int take(long wrId) {
        if (count == 0) {
            return -1;
        }
        int slot = free[--count];
        wrIds[slot] = wrId;
        return slot;
    }

    /** The receive in a slot is done; returns the number that the program gave it. */
    public synchronized long release(int slot) {
        free[count++] = slot;
        return wrIds[slot];
    }

    /** Number of slots in use. */
    public synchronized int used() {
        return wrIds.length - count;
    }
}
