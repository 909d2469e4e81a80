package io.verbena.iwarp;

import io.verbena.base.Digest;

/**
 * The Reads and atomics of this side whose requests have left, as indices of the send queue, oldest first, up to the agreed
 * number (ORD).
 */
final class OutstandingReads {

    /** There is no such Read or atomic. */
    static final long NONE = -1;

    private final long[] sendIndex;
    private final int[] msn;
    private final boolean[] atomic;
    private final boolean[] done;
    private final int mask;
    private long head;
    private long tail;

    OutstandingReads(int capacity) {
        int slots = Integer.highestOneBit(Math.max(1, capacity) * 2 - 1);
        mask = slots - 1;
        sendIndex = new long[slots];
        msn = new int[slots];
        atomic = new boolean[slots];
        done = new boolean[slots];
    }

    void add(long index, int requestMsn, boolean isAtomic) {
        assert tail - head <= mask;
        int i = (int) tail++ & mask;
        sendIndex[i] = index;
        msn[i] = requestMsn;
        atomic[i] = isAtomic;
        done[i] = false;
    }

    int count() {
        return (int) (tail - head);
    }

    /** Send index of the oldest unanswered Read; {@link #NONE} if there is none. */
    long oldestRead() {
        return oldest(false);
    }

    /** Send index of the oldest unanswered atomic; {@link #NONE} if there is none. */
    long oldestAtomic() {
        return oldest(true);
    }

    private long oldest(boolean wantAtomic) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && atomic[i] == wantAtomic) {
                return sendIndex[i];
            }
        }
        return NONE;
    }

    /** Send index of the unanswered Read whose request had this MSN; {@link #NONE} if there is none. */
    long readOf(int requestMsn) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && !atomic[i] && msn[i] == requestMsn) {
                return sendIndex[i];
            }
        }
        return NONE;
    }

    /** Send index of the unanswered Read or atomic whose request had this MSN; {@link #NONE} if there is none. */
    long requestOf(int requestMsn) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && msn[i] == requestMsn) {
                return sendIndex[i];
            }
        }
        return NONE;
    }

    /** MSN of the request of this send index. */
    int msnOf(long index) {
        for (long at = head; at < tail; at++) {
            if (sendIndex[(int) at & mask] == index) {
                return msn[(int) at & mask];
            }
        }
        throw new AssertionError("not outstanding: " + index);
    }

    /** The answer is complete. Returns the number of places that became free: those of the answered requests at the front. */
    int done(long index) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (sendIndex[i] == index) {
                done[i] = true;
            }
        }
        int freed = 0;
        while (head < tail && done[(int) head & mask]) {
            head++;
            freed++;
        }
        return freed;
    }

    /** Whether the request of this index has left and is not answered. */
    boolean waitsFor(long index) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (sendIndex[i] == index) {
                return !done[i];
            }
        }
        return false;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(digest, head), tail);
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            d = Digest.mix(Digest.mix(d, sendIndex[i]), (long) msn[i] << 2 | Digest.flags(atomic[i], done[i]));
        }
        return d;
    }
}
