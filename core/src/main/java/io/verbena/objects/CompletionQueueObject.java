package io.verbena.objects;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.notify.CompletionSource;
import io.verbena.notify.CqNotifier;
import io.verbena.notify.Handlers;
import io.verbena.notify.NotificationFlow;
import io.verbena.notify.RegisteredHandler;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** What a completion queue has besides its entries: threads that wait, a handler, and the queues that complete there. */
public abstract class CompletionQueueObject implements CompletionSource {

    private static final NotificationFlow WHEN_ARMED = new NotificationFlow(false);
    private static final NotificationFlow ALWAYS = new NotificationFlow(true);

    private final int number;
    private final CqNotifier notifier;
    private final WaitPoint arrived;
    private final Handlers handlers;
    private final BooleanSupplier endsWait = this::endsWait;
    private final AtomicBoolean overflowed = new AtomicBoolean();
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean closed;

    /**
     * A CQ without entries.
     *
     * @param number unique within its RNIC
     * @param arrived where threads wait for an entry
     */
    protected CompletionQueueObject(int number, CompletionQueueOptions options, WaitPoint arrived, Handlers handlers) {
        this.number = number;
        this.arrived = arrived;
        this.handlers = handlers;
        notifier = new CqNotifier(this, options.solicitedAlwaysSignals() ? ALWAYS : WHEN_ARMED);
    }

    // Provided by the back end.

    /** Whether the RNIC has ended, so that no entry is added any more. */
    protected abstract boolean rnicEnded();

    /** The time of the clock by which threads wait. */
    protected abstract long clockNs();

    /** Has the back end report the next entry, for a thread that is about to wait. Returns whether there is one already. */
    protected boolean arm() {
        return false;
    }

    // Waiting.

    @Override
    public final boolean await(Duration timeout) {
        return awaitNs(Times.nanos(timeout));
    }

    private boolean awaitNs(long timeoutNs) {
        arrived.await(endsWait, timeoutNs);
        return holdsAny();
    }

    private boolean endsWait() {
        return holdsAny() || ended() || arm();
    }

    /** Whether no entry is added any more. */
    private boolean ended() {
        return closed || rnicEnded();
    }

    @Override
    public final CompletionCursor take(Duration timeout) throws TimeoutException {
        CompletionCursor cursor = cursor();
        long timeoutNs = Times.nanos(timeout);
        long beganNs = clockNs();
        long leftNs = timeoutNs;
        do {
            // What a back end holds may be for none to see.
            if (cursor.next() || awaitNs(leftNs) && cursor.next()) {
                return cursor;
            }
            leftNs = timeoutNs - (clockNs() - beganNs);
        } while (leftNs > 0 && holdsAny());
        if (ended()) {
            throw new IllegalStateException("the completion queue "
                    + (closed ? "is closed" : "belongs to an RNIC that is closed")
                    + " and contains no completion: none can arrive any more");
        }
        throw new TimeoutException("No work completed within " + Times.text(timeout) + ".");
    }

    /** Wakes threads that wait for an entry. */
    public final void wakeWaiters() {
        arrived.signal();
    }

    // Events.

    @Override
    public final int number() {
        return number;
    }

    @Override
    public final CqNotifier notifier() {
        return notifier;
    }

    @Override
    public final void handler(Optional<CqHandlerId> id) {
        checkOpen();
        notifier.handler(id.map(handlers::get));
    }

    @Override
    public final Optional<CqHandlerId> handler() {
        return notifier.handler().map(RegisteredHandler::id);
    }

    @Override
    public final void onReady(Optional<Runnable> callback) {
        checkOpen();
        notifier.ready(callback.map(handlers::unregistered)).ifPresent(this::endReady);
    }

    private void endReady(RegisteredHandler replaced) {
        replaced.remove();
        handlers.awaitEnd(
                "The ready callback is replaced, but it",
                () -> !notifier.dispatch().runsElsewhere(replaced));
    }

    /** Waits until the handler of a CQ that is closed has returned. */
    protected final void awaitHandler() {
        handlers.awaitEnd(
                "The completion queue is closed, but its handler",
                () -> !notifier.dispatch().runsElsewhere());
    }

    @Override
    public final HandlerFigures figures() {
        return notifier.figures();
    }

    @Override
    public final boolean overflowed() {
        return overflowed.get();
    }

    /** Records an overflow; returns true the first time. */
    public final boolean markOverflowed() {
        return overflowed.compareAndSet(false, true);
    }

    // Life cycle.

    /** Fails if the CQ is closed. */
    public final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the completion queue is closed");
        }
    }

    /** A queue of a queue pair completes here. */
    public final void enter() {
        checkOpen();
        users.incrementAndGet();
    }

    /** Releases one use by a queue pair that is closed. */
    public final void leave() {
        users.decrementAndGet();
    }

    /** Number of queue pair queues that complete here. */
    public final int users() {
        return users.get();
    }

    /** Fails if queue pairs still complete here. */
    protected final void checkUnused() {
        if (users.get() > 0) {
            throw new IllegalStateException("queue pairs complete on this CQ; close them first");
        }
    }

    /** Refuses use from now on. */
    protected final void markClosed() {
        closed = true;
    }

    @Override
    public final boolean closed() {
        return closed;
    }
}
