package io.verbena.sim.model;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Notification;
import java.util.Optional;

/**
 * A completion queue, and how its program waits: by occasional polling, or only by a handler. Some handlers leave
 * entries in the queue and depend on an immediate notification.
 */
final class Cq {

    private final Node node;
    private final CompletionQueue verbs;
    private final CompletionCursor cursor;
    private final boolean tooSmall;
    private final boolean byHandler;
    private final int mostAtOnce;
    private final boolean watchesSolicited;
    private boolean dueToBeTold;
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

    Cq(Node node, int capacity, boolean tooSmall, boolean byHandler) {
        this.node = node;
        this.tooSmall = tooSmall;
        this.byHandler = byHandler;
        this.mostAtOnce = node.random().oneIn(3) ? node.random().between(1, 3) : Integer.MAX_VALUE;
        this.watchesSolicited = !byHandler && node.random().oneIn(2);
        verbs = node.rnic().createCompletionQueue(capacity);
        cursor = verbs.cursor();
        if (byHandler) {
            verbs.handler(Optional.of(node.rnic().setCompletionHandler(this::onCompletion)));
            verbs.requestNotification(Notification.NEXT);
        } else if (watchesSolicited) {
            verbs.handler(Optional.of(node.rnic().setCompletionHandler(this::onSolicited)));
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
            node.fail("a handler was called with the CQ of another handler");
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
        dueToBeTold = false;
        if (node.random().oneIn(2)) {
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
            dueToBeTold |= watching && (cursor.solicited() || !cursor.ok());
            node.onCompletion(cursor);
        }
    }

    /** No more entries will arrive. */
    void settle() {
        if (dueToBeTold) {
            node.fail("a solicited entry arrived, but its handler was not notified");
        }
    }

    /** Polls what is left, however this queue is waited on. */
    void drain() {
        poll(Integer.MAX_VALUE);
    }
}
