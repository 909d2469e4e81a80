package io.verbena.notify;

import io.verbena.notify.NotificationFlow.Arm;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.queue.CompletionRing;
import io.verbena.verbs.HandlerFigures;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the consumer of a CQ requested to be notified of, and the handler that the CQ notifies.
 *
 * <p><b>No event is lost and none is doubled.</b> Three parties meet here: an engine that publishes entries, a consumer that
 * requests a notification, and a thread that associates or removes a handler. Each of them first writes its own word (the
 * entries, the arm, the handler), makes a full fence, and then reads the words of the other two. The last of the three finds
 * all that an event needs and signals. If several do, a compare-and-set on the arm decides which one signals.
 *
 * <p>An event that finds no handler becomes a request again. That is another write of the arm, so another check follows it: see {@link #keepEvent}.
 */
public final class CqNotifier {

    private static final int UNARMED = Arm.UNARMED.ordinal();
    private static final int ARMED_SOLICITED = Arm.ARMED_SOLICITED.ordinal();
    private static final int ARMED_TYPES = Arm.ARMED_TYPES.ordinal();
    private static final int ARMED_NEXT = Arm.ARMED_NEXT.ordinal();

    /** The arm in its word; the causes that were requested with ARMED_TYPES are beside it. */
    private static final int ARM_MASK = 0xff;

    private static final int CAUSES_SHIFT = 8;

    /** Entries with these causes satisfy every request. */
    private static final int ALWAYS = CompletionRing.FAILED | CompletionRing.REQUESTED;

    private static final VarHandle ARMED;

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(CqNotifier.class, "armed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CompletionSource cq;
    private final NotificationFlow flow;
    private final CqDispatch dispatch = new CqDispatch(this);
    private final HandlerTally tally = new HandlerTally();

    @SuppressWarnings("UnusedVariable") // through ARMED
    private volatile int armed;

    /** The handler, and what runs instead of it if there is such. Written under the lock. */
    private Optional<RegisteredHandler> handler = Optional.empty();

    private Optional<RegisteredHandler> ready = Optional.empty();

    /** Which of the two is notified. Written under the lock; everybody else reads it once and uses what was read. */
    private volatile @Nullable RegisteredHandler target;

    /** The notifier of a CQ without a handler and without a request. */
    public CqNotifier(CompletionSource cq, NotificationFlow flow) {
        this.cq = cq;
        this.flow = flow;
    }

    CompletionSource cq() {
        return cq;
    }

    public CqDispatch dispatch() {
        return dispatch;
    }

    // Figures.

    HandlerTally tally() {
        return tally;
    }

    /** What handlers did for this CQ. */
    public HandlerFigures figures() {
        return tally.figures();
    }

    /** The same without percentiles. Takes no lock. */
    public HandlerFigures totals() {
        return tally.totals();
    }

    /** The number of the handler that serves the CQ; 0 for none and for one without an identification. */
    public int handlerNumber() {
        RegisteredHandler now = target;
        return now == null ? 0 : now.id().value();
    }

    /** Whether an entry would be notified: a consumer has requested it. */
    public boolean armed() {
        return (armed & ARM_MASK) != UNARMED;
    }

    // Requests.

    /** A consumer requests a notification; entries that qualify may be present already. */
    public void request(Event request) {
        arm(request, 0);
        signalIfDue();
    }

    /** The same for entries with one of these causes. */
    public void request(int causes) {
        arm(Event.TYPES_REQUESTED, causes);
        signalIfDue();
    }

    private void arm(Event request, int causes) {
        while (true) {
            int now = armed;
            int arm = now & ARM_MASK;
            if (flow.silent(arm, request)) {
                return;
            }
            int wanted = flow.next(arm, request);
            if (wanted == ARMED_TYPES) {
                int solicited =
                        arm == ARMED_SOLICITED || request == Event.SOLICITED_REQUESTED ? CompletionRing.SOLICITED : 0;
                wanted |= now & ~ARM_MASK | (causes | solicited) << CAUSES_SHIFT;
            }
            if (ARMED.compareAndSet(this, now, wanted)) {
                return;
            }
        }
    }

    /** An event found no handler: it becomes a request again, unless a handler was associated meanwhile. */
    void keepEvent() {
        arm(Event.EVENT_TAKEN_BACK, 0);
        signalIfDue();
    }

    // Signals.

    /** Called after a write of the arm or of the handler: entries that satisfy the request may be present already. */
    public void signalIfDue() {
        VarHandle.fullFence();
        int now = armed;
        int arm = now & ARM_MASK;
        if (arm == ARMED_NEXT) {
            if (cq.holdsAny()) {
                signal(0);
            }
        } else if (arm != UNARMED) {
            int causes = arm == ARMED_TYPES ? now >>> CAUSES_SHIFT : CompletionRing.SOLICITED;
            if (cq.holds(causes | ALWAYS)) {
                signal(causes);
            }
        }
    }

    /** Whether entries with these causes use up what was requested: only such an event can be held back. */
    public boolean disarms(int causes) {
        int now = armed;
        return (now & ARM_MASK) != UNARMED && !flow.silent(now & ARM_MASK, kind(causes, now));
    }

    /** There are entries with these causes: signals as the flow says. While there is no handler, the request stays. */
    public void signal(int causes) {
        while (true) {
            int now = armed;
            int arm = now & ARM_MASK;
            Event entry = kind(causes, now);
            if (flow.silent(arm, entry)) {
                return;
            }
            RegisteredHandler to = usableTarget();
            if (to == null) {
                if (arm == UNARMED) {
                    keepEvent(); // requested by the entry itself
                }
                return;
            }
            if (arm == UNARMED || ARMED.compareAndSet(this, now, flow.next(arm, entry))) {
                dispatch.fire(to, entry.ordinal());
                return;
            }
        }
    }

    /** The kind among entries with these causes that asks for an event most. */
    private static Event kind(int causes, int now) {
        if ((causes & CompletionRing.REQUESTED) != 0) {
            return Event.REQUESTED_ENTRY;
        }
        if ((causes & CompletionRing.FAILED) != 0) {
            return Event.FAILED_ENTRY;
        }
        if ((causes & now >>> CAUSES_SHIFT) != 0) {
            return Event.WANTED_ENTRY;
        }
        return (causes & CompletionRing.SOLICITED) != 0 ? Event.SOLICITED_ENTRY : Event.PLAIN_ENTRY;
    }

    // Handlers.

    /** The handler that the CQ notifies now; null for none. */
    @Nullable
    RegisteredHandler target() {
        return target;
    }

    /** The cores that the processor of the handler is bound to now; empty for any, and without a handler. */
    public Set<Integer> cores() {
        RegisteredHandler currentTarget = target;
        return currentTarget == null ? Set.of() : currentTarget.cores();
    }

    /** The same as {@link #target}, if an event for it will be served. */
    @Nullable
    RegisteredHandler usableTarget() {
        RegisteredHandler currentTarget = target;
        return currentTarget != null && currentTarget.usable() && !cq.closed() ? currentTarget : null;
    }

    public synchronized Optional<RegisteredHandler> handler() {
        return handler;
    }

    /** Modify CQ. A handler that is being removed at the same time counts as associated before that. */
    public void handler(Optional<RegisteredHandler> wanted) {
        RegisteredHandler before;
        synchronized (this) {
            before = target;
            handler = wanted;
            aim();
        }
        moved(before);
        // A thread that removes a handler marks it, then clears it here; this thread associates it, then reads the
        // mark.
        dropRemoved();
    }

    /** Drops a handler that was removed by a thread that did not see it here. */
    public void dropRemoved() {
        handler().filter(RegisteredHandler::removed).ifPresent(this::removed);
    }

    /** What is notified instead of the handler from now on; returns what was before. */
    public Optional<RegisteredHandler> ready(Optional<RegisteredHandler> wanted) {
        Optional<RegisteredHandler> replaced;
        RegisteredHandler before;
        synchronized (this) {
            before = target;
            replaced = ready;
            ready = wanted;
            aim();
        }
        moved(before);
        return replaced;
    }

    /** A handler is removed: this CQ has none, if it was this one. */
    public synchronized void removed(RegisteredHandler which) {
        if (handler.isPresent() && handler.get() == which) {
            handler = Optional.empty();
            aim();
        }
    }

    private void aim() {
        target = ready.or(() -> handler).orElse(null);
    }

    private void moved(@Nullable RegisteredHandler before) {
        VarHandle.fullFence();
        if (before != null && before != target) {
            before.reroute();
        }
        signalIfDue();
    }

    /** The CQ is closed: a record of it that is in a ring is withdrawn. */
    public void close() {
        VarHandle.fullFence();
        RegisteredHandler currentTarget = target;
        if (currentTarget != null) {
            currentTarget.reroute();
        }
    }
}
