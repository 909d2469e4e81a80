package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.rnic.NotificationFlow.Arm;
import io.verbena.rnic.NotificationFlow.Event;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.Notification;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A completion queue: one ring for each engine that completes here, and the arming of its events.
 *
 * <p><b>No event is lost, none comes twice.</b> An engine publishes entries, fences, and looks whether the queue is armed; who
 * arms it stores that, fences, and looks whether there are entries. One of the two sees the other; if both do, the arm is
 * taken by compare-and-set, so only one of them signals. This is the flow of the notification seed's Fig. 4.
 */
final class SoftCompletionQueue implements CompletionQueue {

    private static final long RESIZE_NS = 1_000_000_000L;
    private static final long MOST_MODERATION_NS = 60_000_000_000L;

    private static final int UNARMED = Arm.UNARMED.ordinal();
    private static final int ARMED_SOLICITED = Arm.ARMED_SOLICITED.ordinal();
    private static final int ARMED_NEXT = Arm.ARMED_NEXT.ordinal();
    private static final NotificationFlow WHEN_ARMED = new NotificationFlow(false);
    private static final NotificationFlow ALWAYS = new NotificationFlow(true);

    private static final VarHandle ARMED;

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(SoftCompletionQueue.class, "armed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SoftRnic rnic;
    private final int number;
    private final NotificationFlow flow;
    private final WaitPoint arrived;
    private final BooleanSupplier holdsAnyOrClosed = this::holdsAnyOrClosed;
    private final CqDispatch dispatch = new CqDispatch(this);
    private final HandlerTally tally = new HandlerTally();
    private final AtomicBoolean overflowed = new AtomicBoolean();
    private final AtomicInteger users = new AtomicInteger();
    private final CqSide[] byEngine;
    private final boolean[] made;

    /** Those that are made, for the poller; replaced when one is added. */
    private volatile CqSide[] sides = new CqSide[0];

    private volatile int capacity;

    @SuppressWarnings("UnusedVariable") // through ARMED
    private volatile int armed;

    private volatile Optional<RegisteredHandler> handler = Optional.empty();
    private volatile Optional<Runnable> ready = Optional.empty();
    private volatile Consumer<CqSide> moderation = side -> {};
    private volatile boolean closed;

    SoftCompletionQueue(SoftRnic rnic, CompletionQueueOptions options) {
        this.rnic = rnic;
        this.capacity = options.capacity();
        this.number = rnic.nextCompletionQueueNumber();
        this.flow = options.solicitedAlwaysSignals() ? ALWAYS : WHEN_ARMED;
        this.arrived = rnic.environment().newWaitPoint();
        this.byEngine = new CqSide[rnic.engines()];
        this.made = new boolean[rnic.engines()];
        handler(options.handler());
    }

    @Override
    public SoftRnic rnic() {
        return rnic;
    }

    /** Unique within its RNIC, for figures. */
    int number() {
        return number;
    }

    @Override
    public CompletionCursor cursor() {
        return new SoftCursor(this);
    }

    @Override
    public boolean await(Duration timeout) {
        arrived.await(holdsAnyOrClosed, Times.nanos(timeout));
        return holdsAny();
    }

    private boolean holdsAnyOrClosed() {
        return holdsAny() || closed;
    }

    private boolean holdsAny() {
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
        arm(kind == Notification.NEXT ? Event.NEXT_REQUESTED : Event.SOLICITED_REQUESTED);
        signalIfDue();
    }

    private void arm(Event request) {
        while (true) {
            int now = armed;
            if (flow.silent(now, request) || ARMED.compareAndSet(this, now, flow.next(now, request))) {
                return;
            }
        }
    }

    /** After arming, or when there is somebody to tell: entries may be there already. */
    void signalIfDue() {
        VarHandle.fullFence();
        int kind = armed;
        if (kind == ARMED_NEXT && holdsAny()) {
            disarmAndTell(Event.PLAIN_ENTRY);
        } else if (kind == ARMED_SOLICITED && holdsUrgent()) {
            disarmAndTell(Event.SOLICITED_ENTRY);
        }
    }

    private boolean holdsUrgent() {
        for (CqSide side : sides) {
            if (side.holdsUrgent()) {
                return true;
            }
        }
        return false;
    }

    /** An engine has published entries: who waits for one is woken, moderated or not. */
    void wakeWaiters() {
        arrived.signal();
    }

    /** Whether an entry of this kind uses up what was asked for: only such an event can be held back. */
    boolean disarms(Event entry) {
        int now = armed;
        return now != UNARMED && !flow.silent(now, entry);
    }

    /** Tells of an entry as the flow says; when there is nobody to tell, it stays armed. */
    void signal(Event entry) {
        if (armed == UNARMED) {
            if (!flow.silent(UNARMED, entry)) {
                tell(entry);
            }
        } else {
            disarmAndTell(entry);
        }
    }

    /** Of several who find it armed one tells. */
    private void disarmAndTell(Event entry) {
        while (true) {
            int now = armed;
            if (now == UNARMED || flow.silent(now, entry) || !somebodyToTell()) {
                return;
            }
            if (ARMED.compareAndSet(this, now, flow.next(now, entry))) {
                tell(entry);
                return;
            }
        }
    }

    private boolean somebodyToTell() {
        return ready.isPresent() || handler.isPresent() && handler.get().usable();
    }

    private void tell(Event entry) {
        Optional<Runnable> callback = ready;
        if (callback.isPresent()) {
            try {
                callback.get().run();
            } catch (RuntimeException e) {
                Log.callback("A ready callback", e);
            }
            return;
        }
        Optional<RegisteredHandler> now = handler;
        if (now.isPresent() && now.get().usable()) {
            dispatch.fire(now.get(), entry.ordinal());
        } else {
            arm(Event.EVENT_TAKEN_BACK);
        }
    }

    /** An event could not be told by this handler: it waits for another, which may have come meanwhile. */
    void keepEvent(RegisteredHandler from) {
        arm(Event.EVENT_TAKEN_BACK);
        VarHandle.fullFence();
        Optional<RegisteredHandler> now = handler;
        if (now.isPresent() && now.get() != from) {
            signalIfDue();
        }
    }

    @Override
    public void handler(Optional<CqHandlerId> id) {
        checkOpen();
        Optional<RegisteredHandler> before = handler;
        handler = id.map(rnic.handlers()::get);
        VarHandle.fullFence();
        if (before.isPresent()) {
            before.get().reroute();
        }
        signalIfDue();
    }

    @Override
    public Optional<CqHandlerId> handler() {
        return handler.map(RegisteredHandler::id);
    }

    Optional<RegisteredHandler> registeredHandler() {
        return handler;
    }

    /** A handler is removed: this CQ has none, if it was its. */
    void handlerRemoved(RegisteredHandler removed) {
        Optional<RegisteredHandler> now = handler;
        if (now.isPresent() && now.get() == removed) {
            handler = Optional.empty();
        }
    }

    CqDispatch dispatch() {
        return dispatch;
    }

    @Override
    public void onReady(Runnable callback) {
        ready = Optional.of(callback);
        signalIfDue();
    }

    // Room.

    @Override
    public void resize(int newCapacity) {
        Limits.range("the capacity of a CQ", newCapacity, 1, Limits.COMPLETION_ENTRIES);
        int size = size();
        if (newCapacity < size) {
            throw new IllegalArgumentException(
                    "the CQ holds " + size + " entries, so it cannot have room for " + newCapacity + " only");
        }
        CqSide[] present;
        synchronized (this) {
            checkOpen();
            capacity = newCapacity;
            present = sides;
        }
        AtomicInteger left = new AtomicInteger(present.length);
        for (CqSide side : present) {
            side.engine().submit(() -> {
                side.resize(newCapacity);
                rnic.refreshRings(this, side.engine());
                left.decrementAndGet();
                rnic.changed();
            });
        }
        rnic.await(() -> left.get() == 0, RESIZE_NS);
    }

    @Override
    public void moderate(int count, Duration period) {
        moderate(count, period, false);
    }

    @Override
    public void moderateAdaptively(int mostCount, Duration mostPeriod) {
        moderate(mostCount, mostPeriod, true);
    }

    private void moderate(int count, Duration period, boolean adaptive) {
        Limits.range("the number of entries an event", count, 1, Limits.COMPLETION_ENTRIES);
        long periodNs = Times.nanos(period);
        if (periodNs <= 0 || periodNs > MOST_MODERATION_NS) {
            throw new IllegalArgumentException(
                    "the period of moderation must be more than 0 and at most a minute, not " + period);
        }
        synchronized (this) {
            checkOpen();
            moderation = side -> side.moderate(count, periodNs, adaptive);
        }
        for (CqSide side : sides) {
            moderation.accept(side);
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
        return tally.figures();
    }

    HandlerTally tally() {
        return tally;
    }

    @Override
    public boolean overflowed() {
        return overflowed.get();
    }

    /** Entries polled so far. */
    long polled() {
        long polled = 0;
        for (CqSide side : sides) {
            polled += side.polled();
        }
        return polled;
    }

    /** Entries found no room; true the first time. */
    boolean markOverflowed() {
        return overflowed.compareAndSet(false, true);
    }

    // Life.

    /** The part of an engine on which a queue pair will complete here. */
    synchronized CqSide use(int engine) {
        checkOpen();
        users.incrementAndGet();
        if (!made[engine]) {
            made[engine] = true;
            byEngine[engine] = new CqSide(this, rnic.engine(engine), capacity);
            CqSide[] grown = Arrays.copyOf(sides, sides.length + 1);
            grown[sides.length] = byEngine[engine];
            sides = grown;
            moderation.accept(byEngine[engine]);
        }
        return byEngine[engine];
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the completion queue is closed");
        }
    }

    /** A queue pair is closed. */
    void leave() {
        users.decrementAndGet();
    }

    /** Queues of queue pairs that complete here. */
    int users() {
        return users.get();
    }

    CqSide[] sides() {
        return sides;
    }

    boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (users.get() > 0 && !rnic.closed()) {
                throw new IllegalStateException("queue pairs complete on this CQ; close them first");
            }
            closed = true;
        }
        arrived.signal();
        for (CqSide side : sides) {
            side.endModeration();
        }
        handler.ifPresent(RegisteredHandler::reroute);
        if (!dispatch.runsHere()) {
            rnic.cqClosed(this);
        }
        if (!rnic.await(() -> !dispatch.runsElsewhere(), SoftRnic.HANDLER_END_NS)) {
            throw new VerbsException("The CQ is closed, but its handler still runs after "
                    + SoftRnic.HANDLER_END_NS / 1_000_000_000L + " seconds.");
        }
    }

    /** A run of its handler is over. */
    void handlerEnded() {
        if (closed) {
            rnic.cqClosed(this);
        }
        rnic.changed();
    }

    @Override
    public String toString() {
        return "CQ of " + capacity + " entries";
    }
}
