package io.verbena.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The engine's part of the receive WQEs: what the completion of a Send needs whose last segment arrived after a hole in the
 * stream. When the hole closes, the engine publishes one CQE for each such Send; the CQE only refers to the WQE, and polling
 * reads the details here ({@link CompletionRing#peek}).
 *
 * <pre>
 *   engine, early      store(n)     | wrId | length, flags |          of the WQE n
 *   engine, at close   publish(n)   CQE: "see WQE n"
 *   poller             read         wrId, length, flags of the WQE n -&gt; CQE
 * </pre>
 *
 * <p>The poster never writes these words, because it may fill the slot of a WQE again as soon as the WQE has completed, which is
 * before its CQE is polled. For the same reason the engine does not store into a slot whose previous CQE was not polled yet
 * ({@link #mayStore}); {@code polled} tells it, and has the poller as its only writer.
 */
public final class EarlyArrivals {

    private static final VarHandle POLLED;

    static {
        try {
            POLLED = MethodHandles.lookup().findVarHandle(EarlyArrivals.class, "polled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int WORDS = 4;
    private static final int LENGTH = 1;
    private static final int OWNER = 2;
    private static final int ORDER = 3;

    private static final int SOLICITED = 1;
    private static final int NOTIFIES = 2;
    private static final int LENGTH_SHIFT = 32;

    private final long[] words;
    private final int mask;

    /** Number of CQEs published so far; the ORDER of a slot is the number of its last one. */
    private long published;

    /** Number of these CQEs that were polled. */
    @SuppressWarnings("UnusedVariable") // through POLLED
    private long polled;

    /** For a receive queue with this many slots, a power of two. */
    EarlyArrivals(int slots) {
        words = new long[slots * WORDS];
        mask = slots - 1;
    }

    private int at(long index) {
        return ((int) index & mask) * WORDS;
    }

    // Engine.

    /** Whether the details of the WQE {@code index} can be stored: there are none yet, and the slot's last CQE was polled. */
    public boolean mayStore(long index) {
        int at = at(index);
        return words[at + OWNER] != index + 1 && words[at + ORDER] <= (long) POLLED.getAcquire(this);
    }

    /** Stores what the completion of a WQE will report. */
    public void store(long index, Wqe wqe, int lengthBytes, boolean solicited) {
        int at = at(index);
        words[at] = wqe.wrId();
        words[at + LENGTH] =
                (long) lengthBytes << LENGTH_SHIFT | (solicited ? SOLICITED : 0) | (wqe.notifies() ? NOTIFIES : 0);
        words[at + OWNER] = index + 1;
    }

    /** Whether the details of this WQE are stored. */
    boolean stored(long index) {
        return words[at(index) + OWNER] == index + 1;
    }

    int lengthBytes(long index) {
        return (int) (words[at(index) + LENGTH] >>> LENGTH_SHIFT);
    }

    boolean solicited(long index) {
        return (words[at(index) + LENGTH] & SOLICITED) != 0;
    }

    boolean notifies(long index) {
        return (words[at(index) + LENGTH] & NOTIFIES) != 0;
    }

    /** The CQE of this WQE is about to be published. */
    void publish(long index) {
        words[at(index) + ORDER] = ++published;
    }

    // Poller.

    /** Completes a CQE that refers to a WQE. */
    void read(Cqe cqe) {
        int at = at(cqe.element());
        cqe.resolve(words[at], words[at + LENGTH] >>> LENGTH_SHIFT, (words[at + LENGTH] & SOLICITED) != 0);
        POLLED.setRelease(this, words[at + ORDER]);
    }
}
