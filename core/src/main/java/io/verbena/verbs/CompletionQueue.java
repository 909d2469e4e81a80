package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Receives the completions of any number of queue pairs. One thread at a time may poll. The other methods may be called
 * from any thread.
 *
 * <p>There are three ways to wait for a completion: poll a cursor until it moves, call {@link #await}, or call
 * {@link #requestNotification} with a handler (or with {@link #onReady} for another event loop).
 */
public interface CompletionQueue extends AutoCloseable {

    /** The RNIC that this CQ belongs to. */
    Rnic rnic();

    /** A cursor over the entries. Keep and reuse it. */
    CompletionCursor cursor();

    /**
     * Waits until an entry can be polled. Virtual threads park; platform threads spin briefly first.
     *
     * @return false if the timeout expired, or the CQ or the RNIC was closed
     * @throws WaitInterruptedException if the thread is interrupted and there is no entry
     */
    boolean await(Duration timeout);

    /**
     * Waits for the next completion and removes it from the CQ.
     *
     * @return the cursor, positioned at the completion
     * @throws TimeoutException if no work completed before the timeout expired
     * @throws IllegalStateException if the CQ or the RNIC is closed, before the call or meanwhile, and no completion is left
     * @throws WaitInterruptedException if the thread is interrupted and there is no entry
     */
    default CompletionCursor take(Duration timeout) throws TimeoutException {
        CompletionCursor cursor = cursor();
        if (cursor.next() || await(timeout) && cursor.next()) {
            return cursor;
        }
        throw new TimeoutException("No work completed within " + text(timeout) + ".");
    }

    /** A duration in milliseconds, or in days if milliseconds could overflow; 0 if negative. */
    private static String text(Duration time) {
        if (time.isNegative()) {
            return "0 ms";
        }
        return time.compareTo(Duration.ofDays(1)) < 0 ? time.toMillis() + " ms" : time.toDays() + " days";
    }

    /**
     * Request Completion Notification: the handler (or ready callback) runs once for the next entry that qualifies. If
     * a qualifying entry is already in the CQ, the handler runs at once, so that an entry between the last empty poll
     * and this call is not missed.
     */
    void requestNotification(Notification kind);

    /**
     * Request Completion Notification for some types of entries: the handler runs once for the next entry of one of
     * these types, or for one in error. Several requests are combined until then. With engines that publish several
     * entries at once, a notification can refer to an entry that was polled just before the request.
     *
     * @throws UnsupportedOperationException if the RNIC does not support types
     */
    default void requestNotification(CompletionTypes types) {
        throw new UnsupportedOperationException(
                "This RNIC does not support notification by type;" + " use requestNotification(Notification.NEXT).");
    }

    /**
     * Modify CQ: assigns another handler, or none. Traffic may continue during the change.
     *
     * @throws IllegalArgumentException if no handler is registered with this identification
     */
    void handler(Optional<CqHandlerId> handler);

    /** The current handler. */
    Optional<CqHandlerId> handler();

    /**
     * For other event loops: {@code ready} runs instead of a handler when a requested notification is due, on the
     * default {@link HandlerProcessor} of the RNIC and never within {@link #requestNotification}. It should only wake
     * the loop. An empty value removes the callback, and the handler is notified again. After this method returned, the
     * previous callback does not run any more.
     */
    void onReady(Optional<Runnable> ready);

    /** Runs this callback instead of a handler; see {@link #onReady(Optional)}. */
    default void onReady(Runnable ready) {
        onReady(Optional.of(ready));
    }

    /**
     * Modify CQ: changes the capacity.
     *
     * @throws IllegalArgumentException if the CQ holds more than {@code capacity} entries
     */
    void resize(int capacity);

    /**
     * Moderates notifications: one for {@code count} entries, or when {@code period} has passed since the first of
     * them. A count of 1 ends the moderation. Entries in error, and entries that are in the CQ when a notification is
     * requested, are reported at once. With several engines, each engine counts its own entries.
     *
     * @throws IllegalArgumentException if the period is not positive or longer than one minute
     * @throws UnsupportedOperationException if the RNIC does not support moderation
     */
    default void moderate(int count, Duration period) {
        throw new UnsupportedOperationException("This RNIC does not support moderation of events.");
    }

    /**
     * Moderates notifications according to the load: at a low rate each entry is reported at once; at a high rate up to
     * {@code mostCount} entries share a notification, and none of them waits longer than {@code mostPeriod}.
     *
     * @throws IllegalArgumentException if the period is not positive or longer than one minute
     * @throws UnsupportedOperationException if the RNIC does not support moderation
     */
    default void moderateAdaptively(int mostCount, Duration mostPeriod) {
        throw new UnsupportedOperationException("This RNIC does not support moderation of events.");
    }

    /** Maximum number of entries. */
    int capacity();

    /** Query CQ: statistics of the handlers of this CQ. */
    default HandlerFigures figures() {
        throw new UnsupportedOperationException("This RNIC does not keep statistics of its handlers.");
    }

    /** Query CQ: number of entries that have not been polled yet. */
    int size();

    /**
     * Whether the CQ was full when an entry was to be added. The queue pairs concerned then went to the error state.
     */
    boolean overflowed();

    /**
     * Destroys the CQ.
     *
     * @throws IllegalStateException if queue pairs still use it
     */
    @Override
    void close();
}
