package io.verbena.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A send or receive queue: a ring of {@link Wqe} slots between one poster and one engine.
 *
 * <pre>
 *    retired            posted      written
 *  ----|==================|-----------|--------   indices only grow; slot = index modulo capacity
 *      owned by the       |  a batch without
 *      engine             |  doorbell yet
 * </pre>
 *
 * The poster owns {@code written} and publishes {@code posted} (release). The engine reads {@code posted} (acquire). When the
 * work of a slot is complete, the engine publishes {@code retired} (release), which returns the slot to the poster.
 */
public final class WorkQueue {

    private static final VarHandle POSTED;
    private static final VarHandle RETIRED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(WorkQueue.class, "posted", long.class);
            RETIRED = lookup.findVarHandle(WorkQueue.class, "retired", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Slots at first. */
    private static final int FIRST_SLOTS = 4;

    private final Slots slots;
    private final int depth;
    private final int stride;

    private long written;

    @SuppressWarnings("UnusedVariable") // accessed through POSTED
    private long posted;

    @SuppressWarnings("UnusedVariable") // accessed through RETIRED
    private long retired;

    /**
     * An empty queue, whose memory grows with the number of elements.
     *
     * @param depth maximum number of elements at a time, 1 or more
     * @param stride bytes per slot, see {@link Wqe#strideBytes}
     */
    public WorkQueue(int depth, int stride) {
        this(depth, stride, FIRST_SLOTS);
    }

    /** The same, with memory for this many elements at first, a power of two. */
    public WorkQueue(int depth, int stride, int firstSlots) {
        this.depth = depth;
        this.stride = stride;
        slots = new Slots(depth, firstSlots, stride / Long.BYTES);
    }

    /** Maximum number of elements at a time. */
    public int depth() {
        return depth;
    }

    /** Number of slots: the depth, rounded up to a power of two. */
    int slots() {
        return slots.most();
    }

    /** Size of the queue in memory, in bytes; while it grows, the elements before are in addition to that. */
    public long bytes() {
        return slots.bytes();
    }

    // Called by the poster.

    /** Points {@code wqe} at the next slot to write. Returns false when the queue is full. */
    public boolean claim(Wqe wqe) {
        if (!slots.isFree(written) && !slots.makeFree(written, (long) RETIRED.getAcquire(this))) {
            return false;
        }
        Slots.Part part = slots.writing();
        wqe.wrap(part.words, part.bytes, part.at(written));
        return true;
    }

    /** The claimed slot is complete. The engine does not see it before {@link #publish}. */
    public void written() {
        written++;
    }

    /** Publishes all written slots to the engine. */
    public void publish() {
        POSTED.setRelease(this, written);
    }

    /** Whether some slot is written and not published. */
    public boolean hasUnpublished() {
        return written != (long) POSTED.getOpaque(this);
    }

    /** Bytes per slot. */
    public int stride() {
        return stride;
    }

    // Called by the engine.

    /** Index after the last published element. */
    public long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** Index of the oldest element that is not retired. */
    public long retired() {
        return (long) RETIRED.getOpaque(this);
    }

    /** Points {@code wqe} at an element. */
    public Wqe at(long index, Wqe wqe) {
        Slots.Part part = slots.reading(index);
        return wqe.wrap(part.words, part.bytes, part.at(index));
    }

    /** Returns the slot of the oldest element to the poster. */
    public void retire() {
        long next = retired() + 1;
        slots.passed(next);
        RETIRED.setRelease(this, next);
    }
}
