package io.verbena.rnic.completion;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.notify.CompletionSource;
import io.verbena.notify.CqDispatch;
import io.verbena.notify.CqNotifier;
import io.verbena.notify.NotificationFlow;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.notify.RegisteredHandler;
import io.verbena.objects.QueuePairRules;
import io.verbena.queue.CompletionRing;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.Poller;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A completion queue: one ring for each engine that completes here. {@link CqNotifier} decides on events for the
 * consumer.
 */
public final class SoftCompletionQueue implements CompletionSource {

    private static final long RESIZE_NS = 1_000_000_000L;

    private static final NotificationFlow WHEN_ARMED = new NotificationFlow(false);
    private static final NotificationFlow ALWAYS = new NotificationFlow(true);

    private final RnicContext context;
    private final int number;
    private final CqNotifier notifier;
    private final WaitPoint arrived;
    private final Poller poller;
    private final BooleanSupplier holdsAnyOrEnded = this::holdsAnyOrEnded;
    private final AtomicBoolean overflowed = new AtomicBoolean();
    private final AtomicInteger users = new AtomicInteger();
    private final CqSide[] byEngine;
    private final boolean[] created;

    /** The sides in use, for the poller; the array is replaced when a side is added. */
    private volatile CqSide[] sides = new CqSide[0];

    private volatile int capacity;

    private volatile Consumer<CqSide> moderation = side -> {};
    private volatile OptionalInt home = OptionalInt.empty();
    private volatile boolean moderated;
    private final Closing closing = new Closing();
    private volatile boolean closed;

    public SoftCompletionQueue(RnicContext context, int number, CompletionQueueOptions options) {
        this.context = context;
        this.capacity = options.capacity();
        this.number = number;
        this.notifier = new CqNotifier(this, options.solicitedAlwaysSignals() ? ALWAYS : WHEN_ARMED);
        this.arrived = context.waits().newPoint();
        this.poller = context.environment().newPoller();
        this.byEngine = new CqSide[context.engines().size()];
        this.created = new boolean[context.engines().size()];
        handler(options.handler());
    }

    @Override
    public Rnic rnic() {
        return context.rnic();
    }

    public RnicContext context() {
        return context;
    }

    /** Number of the CQ, unique within its RNIC, for statistics. */
    @Override
    public int number() {
        return number;
    }

    @Override
    public CompletionCursor cursor() {
        return new SoftCursor(this);
    }

    /** Drives the engines for all cursors of this CQ. */
    Poller poller() {
        return poller;
    }

    @Override
    public boolean await(Duration timeout) {
        arrived.await(holdsAnyOrEnded, Times.nanos(timeout));
        return holdsAny();
    }

    @Override
    public CompletionCursor take(Duration timeout) throws TimeoutException {
        CompletionCursor cursor = cursor();
        if (cursor.next() || await(timeout) && cursor.next()) {
            return cursor;
        }
        if (ended()) {
            throw new IllegalStateException("the completion queue "
                    + (closed ? "is closed" : "belongs to an RNIC that is closed")
                    + " and contains no completion: none can arrive any more");
        }
        throw new TimeoutException("No work completed within " + Times.text(timeout) + ".");
    }

    private boolean holdsAnyOrEnded() {
        return holdsAny() || ended();
    }

    /** Whether no entry is added any more. */
    private boolean ended() {
        return closed || context.waits().ended();
    }

    @Override
    public boolean holdsAny() {
        for (CqSide side : sides) {
            if (side.size() > 0) {
                return true;
            }
        }
        return false;
    }

    // Events.

    @Override
    public void requestNotification(Notification kind) {
        notifier.request(kind == Notification.NEXT ? Event.NEXT_REQUESTED : Event.SOLICITED_REQUESTED);
    }

    @Override
    public void requestNotification(CompletionTypes types) {
        notifier.request(CompletionRing.types(types));
    }

    @Override
    public CqNotifier notifier() {
        return notifier;
    }

    /** Wakes threads that wait for an entry, whether or not events are moderated. */
    void wakeWaiters() {
        arrived.signal();
    }

    /** Whether an entry with one of these causes may be unpolled. */
    @Override
    public boolean holds(int causes) {
        for (CqSide side : sides) {
            if (side.holds(causes)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void handler(Optional<CqHandlerId> id) {
        checkOpen();
        notifier.handler(id.map(context.handlers()::get));
    }

    @Override
    public Optional<CqHandlerId> handler() {
        return notifier.handler().map(RegisteredHandler::id);
    }

    public CqDispatch dispatch() {
        return notifier.dispatch();
    }

    @Override
    public void onReady(Optional<Runnable> callback) {
        checkOpen();
        Optional<RegisteredHandler> registered = callback.map(context.handlers()::unregistered);
        notifier.ready(registered).ifPresent(this::endReady);
    }

    private void endReady(RegisteredHandler replaced) {
        replaced.remove();
        context.handlers()
                .awaitEnd(
                        "The ready callback is replaced, but it",
                        () -> !dispatch().runsElsewhere(replaced));
    }

    // Capacity.

    @Override
    public void resize(int newCapacity) {
        Limits.range("the capacity of a CQ", newCapacity, 1, Limits.COMPLETION_ENTRIES);
        int size = size();
        if (newCapacity < size) {
            throw new IllegalArgumentException(
                    "the CQ holds " + size + " entries and cannot be resized to " + newCapacity);
        }
        CqSide[] present;
        checkCaller();
        synchronized (this) {
            checkOpen();
            capacity = newCapacity;
            present = sides;
        }
        AtomicInteger left = new AtomicInteger(present.length);
        for (CqSide side : present) {
            side.engine().submit(() -> {
                side.resize(newCapacity);
                context.queuePairs().refreshRings(this, side.engine());
                left.decrementAndGet();
                context.changed();
            });
        }
        context.await(() -> left.get() == 0, RESIZE_NS);
    }

    @Override
    public void moderate(int count, Duration period) {
        moderate(count, period, false);
    }

    @Override
    public void moderateAdaptively(int maxCount, Duration maxPeriod) {
        moderate(maxCount, maxPeriod, true);
    }

    private void moderate(int count, Duration period, boolean adaptive) {
        QueuePairRules.moderation(count, period, Limits.COMPLETION_ENTRIES);
        long periodNs = Times.nanos(period);
        checkCaller();
        synchronized (this) {
            checkOpen();
            moderated = true;
            moderation = side -> side.moderate(count, periodNs, adaptive);
        }
        for (CqSide side : sides) {
            moderation.accept(side);
        }
    }

    /** Rejects a thread that may not use one of the engines, before a change that the engines carry out. */
    private void checkCaller() {
        for (CqSide side : sides) {
            side.engine().checkCaller();
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public int size() {
        int size = 0;
        for (CqSide side : sides) {
            size += side.size();
        }
        return size;
    }

    @Override
    public HandlerFigures figures() {
        return notifier.figures();
    }

    @Override
    public boolean overflowed() {
        return overflowed.get();
    }

    /** Number of polled entries. */
    @Override
    public long polled() {
        long polled = 0;
        for (CqSide side : sides) {
            polled += side.polled();
        }
        return polled;
    }

    /** The sum of the highest number of entries of each engine, which may have occurred at different times. */
    public long highest() {
        long highest = 0;
        for (CqSide side : sides) {
            highest += side.highest();
        }
        return highest;
    }

    /** Records an overflow; returns true the first time. */
    public boolean markOverflowed() {
        return overflowed.compareAndSet(false, true);
    }

    // Life cycle.

    /** The side of an engine on which a new queue pair completes. */
    public synchronized CqSide use(int engine) {
        checkOpen();
        if (moderated) {
            context.engines().get(engine).checkCaller();
        }
        users.incrementAndGet();
        if (!created[engine]) {
            created[engine] = true;
            byEngine[engine] = new CqSide(this, context.engines().get(engine), capacity);
            CqSide[] grown = Arrays.copyOf(sides, sides.length + 1);
            grown[sides.length] = byEngine[engine];
            sides = grown;
            moderation.accept(byEngine[engine]);
        }
        return byEngine[engine];
    }

    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the completion queue is closed");
        }
    }

    /**
     * The engine for a new queue pair that completes here, if one is preferred: one that shares a core with the
     * handler's processor.
     */
    public OptionalInt home(int turn) {
        OptionalInt chosen = home;
        if (chosen.isPresent()) {
            return chosen;
        }
        return context.engines().cores().beside(notifier.cores(), turn);
    }

    void liveOn(int engine) {
        home = OptionalInt.of(engine);
    }

    /** Releases one use by a queue pair that is closed. */
    public void leave() {
        users.decrementAndGet();
    }

    /** Number of queue pair queues that complete here. */
    public int users() {
        return users.get();
    }

    public CqSide[] sides() {
        return sides;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    /** Fails if queue pairs still complete here. */
    void checkUnused() {
        if (users.get() > 0 && !context.closed()) {
            throw new IllegalStateException("queue pairs complete on this CQ; close them first");
        }
    }

    @Override
    public void close() {
        boolean first = closing.close(context, this::refuseUse, this::endNotification);
        // A handler that comes second does not wait: the handler of this CQ may be waiting for it.
        if (first || !context.handlers().anyRunsHere()) {
            context.handlers()
                    .awaitEnd(
                            "The completion queue is closed, but its handler",
                            () -> !dispatch().runsElsewhere());
        }
    }

    private synchronized void refuseUse() {
        checkUnused();
        if (moderated) {
            checkCaller();
        }
        closed = true;
    }

    private void endNotification() {
        arrived.signal();
        if (moderated) {
            for (CqSide side : sides) {
                side.endModeration();
            }
        }
        notifier.close();
        if (!dispatch().runs()) {
            context.forget(this);
        }
    }

    /** Called when a run of the handler has ended. */
    @Override
    public void handlerEnded() {
        if (closed) {
            context.forget(this);
        }
        context.handlers().ended();
        context.changed();
    }

    @Override
    public String toString() {
        return "CQ of " + capacity + " entries";
    }
}
