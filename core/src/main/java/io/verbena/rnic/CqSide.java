package io.verbena.rnic;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One engine's part of a completion queue: its ring, and what the engine has told about it. The engine decides about events
 * after each queue pair it served, not for each entry.
 */
final class CqSide {

    private static final VarHandle POLLED;

    static {
        try {
            POLLED = MethodHandles.lookup().findVarHandle(CqSide.class, "polled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A ring, and the one that took its place when the CQ got another size. */
    private static final class Link {
        private final CompletionRing ring;
        private volatile @Nullable Link next;

        Link(int capacity) {
            ring = new CompletionRing(capacity);
        }
    }

    private final SoftCompletionQueue cq;
    private final RnicEngine engine;

    // Engine's own.
    private Link writing;
    private long publishedBefore;
    private long urgentBefore;
    private long told;
    private long toldUrgent;

    /** Entries up to the last urgent one, or a little behind it. Written by the engine. */
    private volatile long urgentUpTo;

    /** The oldest ring that has entries or may get some. Moved by the poller. */
    private volatile Link reading;

    /** Entries polled. Written by the poller. */
    @SuppressWarnings("UnusedVariable") // through POLLED
    private long polled;

    CqSide(SoftCompletionQueue cq, RnicEngine engine, int capacity) {
        this.cq = cq;
        this.engine = engine;
        writing = new Link(capacity);
        reading = writing;
    }

    SoftCompletionQueue cq() {
        return cq;
    }

    RnicEngine engine() {
        return engine;
    }

    // Engine's side.

    CompletionRing ring() {
        return writing.ring;
    }

    /** Goes on in a ring of another size; entries in the old one are polled before. */
    void resize(int capacity) {
        settle();
        Link old = writing;
        publishedBefore += old.ring.published();
        urgentBefore += old.ring.publishedUrgent();
        writing = new Link(capacity);
        old.next = writing;
    }

    /** Tells what was published since this was called last. */
    void settle() {
        long published = publishedBefore + writing.ring.published();
        if (published == told) {
            return;
        }
        told = published;
        long urgent = urgentBefore + writing.ring.publishedUrgent();
        boolean anyUrgent = urgent != toldUrgent;
        if (anyUrgent) {
            toldUrgent = urgent;
            urgentUpTo = published;
        }
        // The entries are visible before it is looked whether somebody asked to be told: who asks does the reverse.
        VarHandle.fullFence();
        cq.onPublished(anyUrgent);
    }

    /** Whether there is no room. */
    boolean full() {
        return writing.ring.size() >= writing.ring.capacity();
    }

    // Poller's side.

    boolean peek(Cqe cqe) {
        while (true) {
            Link now = reading;
            if (now.ring.peek(cqe)) {
                return true;
            }
            Link next = now.next;
            if (next == null) {
                return false;
            }
            // The engine writes no more to a ring that has a successor; look once more, having seen that.
            if (now.ring.peek(cqe)) {
                return true;
            }
            reading = next;
        }
    }

    void release() {
        reading.ring.release();
        POLLED.setRelease(this, (long) POLLED.getOpaque(this) + 1);
    }

    int size() {
        int size = 0;
        for (Link link = reading; link != null; link = link.next) {
            size += link.ring.size();
        }
        return size;
    }

    /** Whether an urgent entry, told by the engine, may be unpolled. */
    boolean holdsUrgent() {
        return (long) POLLED.getAcquire(this) < urgentUpTo;
    }
}
