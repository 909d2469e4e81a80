package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.iwarp.early.EarlyMessages;
import io.verbena.wire.Ulpdu;
import io.verbena.work.OneShotKeys;
import java.lang.foreign.MemorySegment;

/**
 * The peer's Reads and atomics that are not answered yet, oldest first, up to the agreed number (IRD). An atomic in it has been
 * executed; only its response is still to be sent.
 *
 * <p>Requests that arrived after a hole wait in the places after the last one, each in the place that its MSN determines. They
 * are not served before the hole closes.
 */
final class InboundReads {

    private final int capacity;
    private final int mask;
    private final int[] sourceStag;
    private final long[] sourceTo;
    private final long[] length;
    private final int[] sinkStag;
    private final long[] sinkTo;
    private final boolean[] atomic;
    private final boolean[] oneShot;
    private final EarlyMessages entered;
    private long head;
    private long tail;

    InboundReads(int capacity) {
        this.capacity = capacity;
        int slots = Integer.highestOneBit(Math.max(1, capacity) * 2 - 1);
        mask = slots - 1;
        sourceStag = new int[slots];
        sourceTo = new long[slots];
        length = new long[slots];
        sinkStag = new int[slots];
        sinkTo = new long[slots];
        atomic = new boolean[slots];
        oneShot = new boolean[slots];
        entered = new EarlyMessages(slots);
    }

    boolean full() {
        return tail - head >= capacity;
    }

    boolean has(long index) {
        return index < tail;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** Whether all of them may stay unanswered: they are Reads of length zero, such as keep-alive probes. */
    boolean mayStayUnanswered() {
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            if (atomic[i] || length[i] > 0) {
                return false;
            }
        }
        return true;
    }

    /** Index of the next one to be added. */
    long next() {
        return tail;
    }

    /** @param usesUp whether its key is a one-shot key, which ends when the response has left */
    void addRead(int stag, long to, long bytes, int newSinkStag, long newSinkTo, boolean usesUp) {
        int i = (int) tail++ & mask;
        sourceStag[i] = stag;
        sourceTo[i] = to;
        length[i] = bytes;
        sinkStag[i] = newSinkStag;
        sinkTo[i] = newSinkTo;
        oneShot[i] = usesUp;
        atomic[i] = false;
    }

    /**
     * Enters a request that arrived after a hole.
     *
     * @param ahead its MSN, relative to the next request in order
     * @return false if it would exceed the agreed number, or if a request with this MSN was entered before
     */
    boolean enterEarly(Ulpdu u, MemorySegment segment, int ahead) {
        if (ahead < 0 || tail - head + ahead >= capacity || entered.isUsed(u.msn() & mask)) {
            return false;
        }
        entered.allocate();
        entered.put(u.msn() & mask, segment, u.offset(), u.length());
        return true;
    }

    /** The requests that were entered after a hole; the slot is the MSN modulo {@link EarlyMessages#slots}. */
    EarlyMessages entered() {
        return entered;
    }

    void addAtomic(int requestIdentifier, long original) {
        int i = (int) tail++ & mask;
        sinkStag[i] = requestIdentifier;
        sourceTo[i] = original;
        length[i] = 0;
        oneShot[i] = false;
        atomic[i] = true;
    }

    /** The response to the oldest one has left. */
    void release(OneShotKeys keys) {
        endOneShot(head, keys);
        head++;
    }

    /** The connection has ended: the one-shot keys of all unanswered Reads end with it. */
    void endOneShot(OneShotKeys keys) {
        for (long at = head; at < tail; at++) {
            endOneShot(at, keys);
        }
    }

    private void endOneShot(long index, OneShotKeys keys) {
        if (oneShot[(int) index & mask]) {
            keys.endRead(sourceStag(index), index);
        }
    }

    boolean atomic(long index) {
        return atomic[(int) index & mask];
    }

    int sourceStag(long index) {
        return sourceStag[(int) index & mask];
    }

    long sourceTo(long index) {
        return sourceTo[(int) index & mask];
    }

    long length(long index) {
        return length[(int) index & mask];
    }

    int sinkStag(long index) {
        return sinkStag[(int) index & mask];
    }

    long sinkTo(long index) {
        return sinkTo[(int) index & mask];
    }

    int requestIdentifier(long index) {
        return sinkStag[(int) index & mask];
    }

    long original(long index) {
        return sourceTo[(int) index & mask];
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(digest, head), tail);
        for (long at = head; at < tail; at++) {
            int i = (int) at & mask;
            d = Digest.mix(Digest.mix(d, length[i]), Digest.flags(atomic[i], oneShot[i]));
            d = Digest.mix(Digest.mix(d, (long) sourceStag[i] << 32 | sinkStag[i] & 0xffff_ffffL), sourceTo[i]);
            d = Digest.mix(d, sinkTo[i]);
        }
        return d;
    }
}
