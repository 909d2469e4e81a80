package io.verbena.rnic;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A completion queue: one ring for each engine that completes here, and the arming of its events.
 *
 * <p><b>No event is lost, none comes twice.</b> An engine publishes entries, fences, and looks whether the queue is armed; who
 * arms it stores that, fences, and looks whether there are entries. One of the two sees the other; if both do, the arm is
 * taken by compare-and-set, so only one of them signals. This is the flow of the notification seed's Fig. 4.
 */
final class SoftCompletionQueue implements CompletionQueue {

    private static final long RESIZE_NS = 1_000_000_000L;

    private static final int NOT_ARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED_NEXT = 2;

    private static final VarHandle ARMED;

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(SoftCompletionQueue.class, "armed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SoftRnic rnic;
    private final boolean solicitedAlwaysSignals;
    private final WaitPoint arrived;
    private final BooleanSupplier holdsAnyOrClosed = this::holdsAnyOrClosed;
    private final CqDispatch dispatch = new CqDispatch(this);
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
    private volatile boolean workNotifies;
    private volatile boolean closed;

    SoftCompletionQueue(SoftRnic rnic, CompletionQueueOptions options) {
        this.rnic = rnic;
        this.capacity = options.capacity();
        this.solicitedAlwaysSignals = options.solicitedAlwaysSignals();
        this.arrived = rnic.environment().newWaitPoint();
        this.byEngine = new CqSide[rnic.engines()];
        this.made = new boolean[rnic.engines()];
        handler(options.handler());
    }

    @Override
    public SoftRnic rnic() {
        return rnic;
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
        arm(kind == Notification.NEXT ? ARMED_NEXT : ARMED_SOLICITED);
        signalIfDue();
    }

    /** A request for any entry includes one for solicited entries. */
    private void arm(int kind) {
        while (true) {
            int now = armed;
            if (now >= kind || ARMED.compareAndSet(this, now, kind)) {
                return;
            }
        }
    }

    /** After arming, or when there is somebody to tell: entries may be there already. */
    private void signalIfDue() {
        VarHandle.fullFence();
        int kind = armed;
        if (kind == ARMED_NEXT && holdsAny() || kind == ARMED_SOLICITED && holdsUrgent()) {
            signal();
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

    /** An engine has published entries; some are urgent: solicited, failed, or work that asked for an event itself. */
    void onPublished(boolean urgent) {
        arrived.signal();
        int kind = armed;
        if (kind == ARMED_NEXT || urgent && kind == ARMED_SOLICITED) {
            signal();
        } else if (urgent && (solicitedAlwaysSignals || workNotifies)) {
            tell();
        }
    }

    /** Tells, if it is still armed; the arm stays when there is nobody to tell. */
    private void signal() {
        if (ready.isEmpty() && handler.isEmpty()) {
            return;
        }
        int now = armed;
        while (now != NOT_ARMED) {
            if (ARMED.compareAndSet(this, now, NOT_ARMED)) {
                tell();
                return;
            }
            now = armed;
        }
    }

    private void tell() {
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
        if (now.isPresent()) {
            dispatch.fire(now.get());
        }
    }

    /** An event could not be told: it waits for a handler. */
    void keepEvent() {
        arm(ARMED_NEXT);
    }

    /** Work was posted that asks for an event when it completes: from now on every urgent entry signals. */
    void workNotifies() {
        if (!workNotifies) {
            workNotifies = true;
        }
    }

    @Override
    public void handler(Optional<CqHandlerId> id) {
        handler = id.map(rnic.handlers()::get);
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
    public boolean overflowed() {
        return overflowed.get();
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
        rnic.cqClosed(this);
        rnic.await(() -> !dispatch.runsElsewhere(), SoftRnic.HANDLER_END_NS);
    }

    @Override
    public String toString() {
        return "CQ of " + capacity + " entries";
    }
}
