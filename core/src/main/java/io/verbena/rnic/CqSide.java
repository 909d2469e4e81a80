package io.verbena.rnic;

import io.verbena.engine.RnicEngine;
import io.verbena.notify.Moderator;
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

    private static final VarHandle UP_TO = MethodHandles.arrayElementVarHandle(long[].class);
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
    private long told;
    private @Nullable Moderator moderator;
    private @Nullable ModerationTimer timer;

    /** For each cause the entries up to the last one that has it, or a little behind it. Written by the engine. */
    private final long[] upTo = new long[CompletionRing.CAUSES];

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
        writing = new Link(capacity);
        old.next = writing;
    }

    /** Tells what was published since this was called last. */
    void settle() {
        long published = publishedBefore + writing.ring.published();
        if (published == told) {
            return;
        }
        long entries = published - told;
        told = published;
        int causes = writing.ring.takeCauses();
        for (int left = causes; left != 0; left &= left - 1) {
            UP_TO.setRelease(upTo, Integer.numberOfTrailingZeros(left), published);
        }
        // The entries are visible before it is looked whether somebody asked to be told: who asks does the reverse.
        VarHandle.fullFence();
        cq.wakeWaiters();
        Moderator now = moderator;
        if (now == null || !held(now, entries, causes)) {
            cq.notifier().signal(causes);
        }
    }

    // Moderation.

    /** Whether moderation holds the event back. Errors and events that work asked for itself are told at once. */
    private boolean held(Moderator now, long entries, int causes) {
        long nowNs = engine.nowNs();
        now.observe(entries, nowNs);
        boolean urgent = (causes & (CompletionRing.FAILED | CompletionRing.REQUESTED)) != 0;
        if (urgent || !cq.notifier().disarms(causes) || !now.holds(entries, nowNs)) {
            now.told();
            return false;
        }
        ModerationTimer waiting = timer;
        if (waiting != null) {
            engine.deadline(waiting, now.deadlineNs());
        }
        return true;
    }

    /** What was held back has waited long enough; entries may have been polled meanwhile. */
    void tellHeld() {
        cq.notifier().signalIfDue();
    }

    /** Any thread: events of this engine's entries are moderated like this from one of its next turns on. */
    void moderate(int count, long periodNs, boolean adaptive) {
        engine.submit(() -> {
            endModerationNow();
            if (count > 1) {
                Moderator made = new Moderator(count, periodNs, adaptive);
                ModerationTimer watch = new ModerationTimer(this, made);
                moderator = made;
                timer = watch;
                engine.join(watch);
            }
        });
    }

    /** Any thread. */
    void endModeration() {
        engine.submit(this::endModerationNow);
    }

    private void endModerationNow() {
        ModerationTimer watch = timer;
        if (watch != null) {
            engine.leave(watch);
            timer = null;
            moderator = null;
            cq.notifier().signalIfDue();
        }
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

    /** Entries polled so far; anybody may look. */
    long polled() {
        return (long) POLLED.getAcquire(this);
    }

    int size() {
        int size = 0;
        for (Link link = reading; link != null; link = link.next) {
            size += link.ring.size();
        }
        return size;
    }

    /** Whether an entry with one of these causes, told by the engine, may be unpolled. */
    boolean holds(int causes) {
        long before = (long) POLLED.getAcquire(this);
        for (int left = causes; left != 0; left &= left - 1) {
            if (before < (long) UP_TO.getAcquire(upTo, Integer.numberOfTrailingZeros(left))) {
                return true;
            }
        }
        return false;
    }
}
