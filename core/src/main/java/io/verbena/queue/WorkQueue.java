package io.verbena.queue;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A send or receive queue: a ring of {@link Wqe} slots between one poster and one engine.
 *
 * <pre>
 *    retired            posted      written
 *  ----|==================|-----------|--------   indices only grow; slot = index modulo capacity
 *      engine's           |  a batch whose doorbell
 *      slots              |  was not rung
 * </pre>
 *
 * The poster owns {@code written} and publishes {@code posted} (release); the engine reads {@code posted} (acquire) and
 * publishes {@code retired} (release) when a slot's work is complete, which gives it back to the poster.
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

    private final long[] words;
    private final MemorySegment bytes;
    private final int depth;
    private final int mask;
    private final int stride;

    private long written;
    private long retiredSeen;

    @SuppressWarnings("UnusedVariable") // through POSTED
    private long posted;

    @SuppressWarnings("UnusedVariable") // through RETIRED
    private long retired;

    /**
     * An empty queue.
     *
     * @param depth most elements at once, 1 or more
     * @param stride bytes a slot, see {@link Wqe#strideBytes}
     */
    public WorkQueue(int depth, int stride) {
        this.depth = depth;
        int slots = Integer.highestOneBit(Math.max(1, depth - 1)) << (depth > 1 ? 1 : 0);
        this.mask = slots - 1;
        this.stride = stride;
        this.words = new long[Math.multiplyExact(slots, stride / Long.BYTES)];
        this.bytes = MemorySegment.ofArray(words);
    }

    /** Most elements at once. */
    public int depth() {
        return depth;
    }

    /** Bytes of memory it holds. */
    public long bytes() {
        return bytes.byteSize();
    }

    // Poster's side.

    /** Points {@code wqe} at the slot to be written next; false when the queue is full. */
    public boolean claim(Wqe wqe) {
        if (written - retiredSeen >= depth) {
            retiredSeen = (long) RETIRED.getAcquire(this);
            if (written - retiredSeen >= depth) {
                return false;
            }
        }
        wqe.wrap(words, bytes, slot(written));
        return true;
    }

    /** The claimed slot is written; the engine does not see it yet. */
    public void written() {
        written++;
    }

    /** Shows the engine all that was written. */
    public void publish() {
        POSTED.setRelease(this, written);
    }

    /** Whether something was written and not published. */
    public boolean hasUnpublished() {
        return written != (long) POSTED.getOpaque(this);
    }

    /** Bytes a slot has. */
    public int stride() {
        return stride;
    }

    // Engine's side.

    /** Index behind the last published element. */
    public long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** Index of the oldest element that is not retired. */
    public long retired() {
        return (long) RETIRED.getOpaque(this);
    }

    /** Points {@code wqe} at an element. */
    public Wqe at(long index, Wqe wqe) {
        return wqe.wrap(words, bytes, slot(index));
    }

    /** Gives the oldest element's slot back to the poster. */
    public void retire() {
        RETIRED.setRelease(this, retired() + 1);
    }

    private int slot(long index) {
        return ((int) index & mask) * (stride / Long.BYTES);
    }
}
