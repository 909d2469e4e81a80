package io.verbena.rnic.completion;

import io.verbena.base.Times;
import io.verbena.notify.CqDispatch;
import io.verbena.notify.CqNotifier;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.objects.CompletionQueueObject;
import io.verbena.objects.QueuePairRules;
import io.verbena.queue.CompletionRing;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.Poller;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A completion queue: one ring for each engine that completes here. {@link CqNotifier} decides on events for the
 * consumer.
 */
public final class SoftCompletionQueue extends CompletionQueueObject {

    private static final long RESIZE_NS = 1_000_000_000L;

    private final RnicContext context;
    private final Poller poller;
    private final CqSide[] byEngine;
    private final boolean[] created;

    /** The sides in use, for the poller; the array is replaced when a side is added. */
    private volatile CqSide[] sides = new CqSide[0];

    private volatile int capacity;

    private volatile Consumer<CqSide> moderation = side -> {};
    private volatile OptionalInt home = OptionalInt.empty();
    private volatile boolean moderated;
    private final Closing closing = new Closing();

    public SoftCompletionQueue(RnicContext context, int number, CompletionQueueOptions options) {
        super(number, options, context.waits().newPoint(), context.handlers());
        this.context = context;
        this.capacity = options.capacity();
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

    @Override
    public CompletionCursor cursor() {
        return new SoftCursor(this);
    }

    /** Drives the engines for all cursors of this CQ. */
    Poller poller() {
        return poller;
    }

    @Override
    protected boolean rnicEnded() {
        return context.waits().ended();
    }

    @Override
    protected long clockNs() {
        return context.environment().nowNs();
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
        notifier().request(kind == Notification.NEXT ? Event.NEXT_REQUESTED : Event.SOLICITED_REQUESTED);
    }

    @Override
    public void requestNotification(CompletionTypes types) {
        notifier().request(CompletionRing.types(types));
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

    public CqDispatch dispatch() {
        return notifier().dispatch();
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

    // Life cycle.

    /** The side of an engine on which a new queue pair completes. */
    public synchronized CqSide use(int engine) {
        checkOpen();
        if (moderated) {
            context.engines().get(engine).checkCaller();
        }
        enter();
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

    /**
     * The engine for a new queue pair that completes here, if one is preferred: one that shares a core with the
     * handler's processor.
     */
    public OptionalInt home(int turn) {
        OptionalInt chosen = home;
        if (chosen.isPresent()) {
            return chosen;
        }
        return context.engines().cores().beside(notifier().cores(), turn);
    }

    void liveOn(int engine) {
        home = OptionalInt.of(engine);
    }

    public CqSide[] sides() {
        return sides;
    }

    @Override
    public void close() {
        boolean first = closing.close(context, this::refuseUse, this::endNotification);
        // A handler that comes second does not wait: the handler of this CQ may be waiting for it.
        if (first || !context.handlers().anyRunsHere()) {
            awaitHandler();
        }
    }

    /** Fails if queue pairs still complete here, unless the RNIC closes them too. */
    void refuseIfUsed() {
        if (!context.closed()) {
            checkUnused();
        }
    }

    private synchronized void refuseUse() {
        refuseIfUsed();
        if (moderated) {
            checkCaller();
        }
        markClosed();
    }

    private void endNotification() {
        wakeWaiters();
        if (moderated) {
            for (CqSide side : sides) {
                side.endModeration();
            }
        }
        notifier().close();
        if (!dispatch().runs()) {
            context.forget(this);
        }
    }

    /** Called when a run of the handler has ended. */
    @Override
    public void handlerEnded() {
        if (closed()) {
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
