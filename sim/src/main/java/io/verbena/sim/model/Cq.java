package io.verbena.sim.model;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Notification;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A completion queue, and how its program waits: by occasional polling, or only by a handler. Some handlers leave
 * entries in the queue and depend on an immediate notification.
 */
final class Cq {

    private final Program program;
    private final Consumer<CompletionCursor> completions;
    private final CompletionQueue verbs;
    private final CompletionCursor cursor;
    private final boolean tooSmall;
    private final boolean byHandler;
    private final int mostAtOnce;
    private final boolean watchesSolicited;
    private boolean reportDue;
    private boolean watching;
    private int shares;

    /** The part of the entries that one queue may use: together at most the capacity, or the CQ would overflow. */
    final class Share {
        private int reserved;

        private Share() {
            shares++;
        }

        /** Whether another request may be posted: all that were may complete at once. */
        boolean room() {
            return left() > 0;
        }

        int left() {
            return tooSmall ? Integer.MAX_VALUE : verbs.capacity() / shares - reserved;
        }

        void reserve() {
            reserved++;
        }

        void release() {
            reserved--;
        }
    }

    /**
     * @param completions receives each entry
     */
    Cq(Program program, Consumer<CompletionCursor> completions, int capacity, boolean tooSmall, boolean byHandler) {
        this.program = program;
        this.completions = completions;
        this.tooSmall = tooSmall;
        this.byHandler = byHandler;
        this.mostAtOnce = program.random().oneIn(3) ? program.random().between(1, 3) : Integer.MAX_VALUE;
        this.watchesSolicited = !byHandler && program.random().oneIn(2);
        verbs = program.rnic().createCompletionQueue(capacity);
        cursor = verbs.cursor();
        if (byHandler) {
            verbs.handler(Optional.of(program.rnic().setCompletionHandler(this::onCompletion)));
            verbs.requestNotification(Notification.NEXT);
        } else if (watchesSolicited) {
            verbs.handler(Optional.of(program.rnic().setCompletionHandler(this::onSolicited)));
            watch();
        }
    }

    CompletionQueue verbs() {
        return verbs;
    }

    Share newShare() {
        return new Share();
    }

    /** Whether two more queues may complete here. */
    boolean mayBeShared() {
        return !tooSmall && shares + 2 <= verbs.capacity();
    }

    @SuppressWarnings("ReferenceEquality") // the very same one
    private void onCompletion(CompletionQueue which) {
        if (which != verbs) {
            program.fail("a handler was called with the CQ of another handler");
        }
        poll(mostAtOnce);
        verbs.requestNotification(Notification.NEXT);
    }

    /** Requests a notification of the next solicited or failed entry. */
    private void watch() {
        watching = true;
        verbs.requestNotification(Notification.SOLICITED);
    }

    private void onSolicited(CompletionQueue which) {
        watching = false;
        reportDue = false;
        if (program.random().oneIn(2)) {
            watch();
        }
    }

    /** Polls a number of entries, unless a handler does. */
    void visit(int most) {
        if (!byHandler) {
            poll(most);
        }
    }

    private void poll(int most) {
        for (int left = most; left > 0 && cursor.next(); left--) {
            reportDue |= watching && (cursor.solicited() || !cursor.ok());
            completions.accept(cursor);
        }
    }

    /** No more entries will arrive. */
    void settle() {
        if (reportDue) {
            program.fail("a solicited entry arrived, but its handler was not notified");
        }
    }

    /** Polls what is left, however this queue is waited on. */
    void drain() {
        poll(Integer.MAX_VALUE);
    }
}
