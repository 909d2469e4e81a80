package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Where work of any number of queue pairs completes (V4). One thread at a time polls.
 *
 * <p>Three ways to wait: poll a cursor until it moves, {@link #await}, or {@link #requestNotification} with a handler (or
 * {@link #onReady} for a foreign event loop).
 */
public interface CompletionQueue extends AutoCloseable {

    /** The RNIC that this CQ belongs to. */
    Rnic rnic();

    /** A cursor over the entries; keep it and use it again and again. */
    CompletionCursor cursor();

    /**
     * Waits until an entry can be polled. Virtual threads park; platform threads spin briefly first.
     *
     * @return false when the time ran out or the CQ was closed
     * @throws WaitInterruptedException when the thread is interrupted and there is no entry
     */
    boolean await(Duration timeout);

    /**
     * Waits for the next completion and takes it.
     *
     * @return the cursor, moved to it
     * @throws TimeoutException when none came in time
     * @throws WaitInterruptedException when the thread is interrupted and there is no entry
     */
    default CompletionCursor take(Duration timeout) throws TimeoutException {
        CompletionCursor cursor = cursor();
        if (cursor.next() || await(timeout) && cursor.next()) {
            return cursor;
        }
        throw new TimeoutException("No work completed within " + text(timeout) + ".");
    }

    /** Milliseconds of a time that may be too long to be counted in them. */
    private static String text(Duration time) {
        return time.compareTo(Duration.ofDays(1)) < 0 ? time.toMillis() + " ms" : time.toDays() + " days";
    }

    /**
     * Request Completion Notification: the handler (or ready callback) runs once for the next entry that qualifies. If one
     * is there already it runs at once, so that an entry between the last empty poll and this call is not lost.
     */
    void requestNotification(Notification kind);

    /**
     * Request Completion Notification for entries of some types: the handler runs once for the next entry that qualifies, or for one
     * in error. Requests add up until then. With engines that publish several entries at once an event may come for an entry
     * that was polled just before the request.
     *
     * @throws UnsupportedOperationException when the RNIC cannot tell types apart
     */
    default void requestNotification(CompletionTypes types) {
        throw new UnsupportedOperationException("This RNIC cannot tell types of entries apart: request any entry.");
    }

    /** Modify CQ: moves to another handler, or to none, while traffic flows. */
    void handler(Optional<CqHandlerId> handler);

    /** The handler now. */
    Optional<CqHandlerId> handler();

    /**
     * For foreign event loops: {@code ready} runs instead of a handler when a requested notification is due, on the RNIC's
     * default {@link HandlerProcessor}, never inside {@link #requestNotification}. It should only wake the loop. Empty takes
     * it back: the handler is notified again. After this call returned, the callback before it does not run.
     */
    void onReady(Optional<Runnable> ready);

    /** Has this callback run instead of a handler, see {@link #onReady(Optional)}. */
    default void onReady(Runnable ready) {
        onReady(Optional.of(ready));
    }

    /**
     * Modify CQ: makes room for more entries.
     *
     * @throws IllegalArgumentException when smaller than what is in it
     */
    void resize(int capacity);

    /**
     * Moderates events: one for {@code count} entries, or when {@code period} has passed since the first of them; a count of 1
     * ends that. Entries in error, and entries that are there when a notification is requested, are told at once. With several
     * engines each counts for itself.
     *
     * @throws UnsupportedOperationException when the RNIC cannot
     */
    default void moderate(int count, Duration period) {
        throw new UnsupportedOperationException("This RNIC tells each event at once.");
    }

    /**
     * Moderates events by what comes: each entry is told at once at a low rate; at a high one up to {@code mostCount} entries
     * share an event, none of them waiting longer than {@code mostPeriod}.
     *
     * @throws UnsupportedOperationException when the RNIC cannot
     */
    default void moderateAdaptively(int mostCount, Duration mostPeriod) {
        throw new UnsupportedOperationException("This RNIC tells each event at once.");
    }

    /** Entries it can hold. */
    int capacity();

    /** Query CQ: what handlers have done for this one. */
    default HandlerFigures figures() {
        throw new UnsupportedOperationException("This RNIC keeps no figures of its handlers.");
    }

    /** Query CQ: entries that wait to be polled. */
    int size();

    /** True once entries came faster than they were polled; queue pairs that completed here went to error. */
    boolean overflowed();

    /**
     * Destroys it.
     *
     * @throws IllegalStateException while queue pairs use it
     */
    @Override
    void close();
}
