package io.verbena.rnic.completion;

import io.verbena.engine.RnicEngine;
import io.verbena.notify.Moderator;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The part of a completion queue that belongs to one engine: its ring, and the number of entries reported to the
 * consumer. The engine decides on events once per served queue pair, not once per entry.
 */
public final class CqSide {

    private static final VarHandle UP_TO = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle POLLED;
    private static final VarHandle HIGHEST;

    static {
        try {
            POLLED = MethodHandles.lookup().findVarHandle(CqSide.class, "polled", long.class);
            HIGHEST = MethodHandles.lookup().findVarHandle(CqSide.class, "highest", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A ring, and the ring that replaced it when the CQ was resized. */
    private static final class Link {
        private final CompletionRing ring;
        private volatile @Nullable Link next;

        Link(int capacity) {
            ring = new CompletionRing(capacity);
        }
    }

    private final SoftCompletionQueue cq;
    private final RnicEngine engine;

    // Used by the engine only.
    private Link writing;
    private long publishedBefore;
    private long reported;
    private long highest; // read by any thread
    private @Nullable Moderator moderator;
    private @Nullable ModerationTimer timer;

    /**
     * For each cause, the number of entries up to the last one with that cause or slightly after it. Written by the
     * engine.
     */
    private final long[] upTo = new long[CompletionRing.CAUSES];

    /** The oldest ring that has entries or may receive some. Advanced by the poller. */
    private volatile Link reading;

    /** Number of polled entries. Written by the poller. */
    @SuppressWarnings("UnusedVariable") // through POLLED
    private long polled;

    CqSide(SoftCompletionQueue cq, RnicEngine engine, int capacity) {
        this.cq = cq;
        this.engine = engine;
        writing = new Link(capacity);
        reading = writing;
    }

    public SoftCompletionQueue cq() {
        return cq;
    }

    RnicEngine engine() {
        return engine;
    }

    // Engine's side.

    public CompletionRing ring() {
        return writing.ring;
    }

    /** Continues in a ring of a different size. Entries in the old ring are polled first. */
    public void resize(int capacity) {
        settle();
        Link old = writing;
        publishedBefore += old.ring.published();
        writing = new Link(capacity);
        old.next = writing;
    }

    /** Notifies the consumer of the entries published since the last call. */
    public void settle() {
        long published = publishedBefore + writing.ring.published();
        if (published == reported) {
            return;
        }
        long entries = published - reported;
        reported = published;
        long unpolled = published - (long) POLLED.getOpaque(this);
        if (unpolled > highest) {
            HIGHEST.setOpaque(this, unpolled);
        }
        int causes = writing.ring.takeCauses();
        for (int left = causes; left != 0; left &= left - 1) {
            UP_TO.setRelease(upTo, Integer.numberOfTrailingZeros(left), published);
        }
        // Publish the entries before reading the notification requests. The requesting thread does the reverse: it
        // requests first and then polls.
        VarHandle.fullFence();
        cq.wakeWaiters();
        Moderator currentModerator = moderator;
        if (currentModerator == null || !held(currentModerator, entries, causes)) {
            cq.notifier().signal(causes);
        }
    }

    // Moderation.

    /** Whether moderation delays the event. Errors, and work that requested an event, are reported at once. */
    private boolean held(Moderator currentModerator, long entries, int causes) {
        long nowNs = engine.nowNs();
        currentModerator.observe(entries, nowNs);
        boolean urgent = (causes & (CompletionRing.FAILED | CompletionRing.REQUESTED)) != 0;
        if (urgent || !cq.notifier().disarms(causes) || !currentModerator.holds(entries, nowNs)) {
            currentModerator.signalled();
            return false;
        }
        ModerationTimer waiting = timer;
        if (waiting != null) {
            engine.deadline(waiting, currentModerator.deadlineNs());
        }
        return true;
    }

    /** Signals the delayed event when its period has passed, unless the entries were polled meanwhile. */
    void signalHeld() {
        cq.notifier().signalIfDue();
    }

    /** Moderates events of this engine's entries, starting with one of its next turns. Any thread. */
    void moderate(int count, long periodNs, boolean adaptive) {
        engine.submit(() -> {
            endModerationNow();
            if (count > 1) {
                Moderator created = new Moderator(count, periodNs, adaptive);
                ModerationTimer watch = new ModerationTimer(this, created);
                moderator = created;
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

    /** Whether the ring is full. */
    public boolean full() {
        return writing.ring.size() >= writing.ring.capacity();
    }

    // Poller's side.

    boolean peek(Cqe cqe) {
        while (true) {
            Link currentLink = reading;
            if (currentLink.ring.peek(cqe)) {
                return true;
            }
            Link next = currentLink.next;
            if (next == null) {
                return false;
            }
            // The engine no longer writes to a ring that has a successor. Check again after reading the successor.
            if (currentLink.ring.peek(cqe)) {
                return true;
            }
            reading = next;
        }
    }

    void release() {
        reading.ring.release();
        POLLED.setRelease(this, (long) POLLED.getOpaque(this) + 1);
    }

    /** Number of polled entries. Any thread. */
    long polled() {
        return (long) POLLED.getAcquire(this);
    }

    /** Highest number of entries after the engine had served a queue pair. Any thread. */
    long highest() {
        return (long) HIGHEST.getOpaque(this);
    }

    int size() {
        int size = 0;
        for (Link link = reading; link != null; link = link.next) {
            size += link.ring.size();
        }
        return size;
    }

    /** Whether an entry with one of these causes, already reported by the engine, may be unpolled. */
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
