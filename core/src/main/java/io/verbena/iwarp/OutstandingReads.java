package io.verbena.iwarp;

import io.verbena.base.Digest;

/**
 * Our Reads and atomics whose requests have left, as indices of the send queue, oldest first; as many as agreed (ORD).
 */
final class OutstandingReads {

    /** Answer when there is none. */
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

    /** Send index of the oldest Read, or atomic, that is not answered; {@link #NONE} if there is none. */
    long oldest(boolean wantAtomic) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && atomic[i] == wantAtomic) {
                return sendIndex[i];
            }
        }
        return NONE;
    }

    /** Send index of the Read, not answered yet, whose request had this MSN; {@link #NONE} if there is none. */
    long readOf(int requestMsn) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && !atomic[i] && msn[i] == requestMsn) {
                return sendIndex[i];
            }
        }
        return NONE;
    }

    /** Send index of the Read or atomic, not answered yet, whose request had this MSN; {@link Blame#NOT_PENDING} if none. */
    long requestOf(int requestMsn) {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (!done[i] && msn[i] == requestMsn) {
                return sendIndex[i];
            }
        }
        return Blame.NOT_PENDING;
    }

    /** MSN with which the request of this send index went out. */
    int msnOf(long index) {
        for (long at = head; at < tail; at++) {
            if (sendIndex[(int) at & mask] == index) {
                return msn[(int) at & mask];
            }
        }
        throw new AssertionError("not outstanding: " + index);
    }

    /** The answer is complete. Returns how many places became free: those at the front that are done. */
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

    /** Whether the request of this index is out and not answered. */
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
            d = Digest.mix(d, done[(int) at & mask] ? 1 : 0);
        }
        return d;
    }
}
