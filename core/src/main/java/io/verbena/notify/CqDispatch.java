package io.verbena.notify;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one CQ: once per event, and never twice at the same time. {@link NotificationFlow#RUNS} is its table.
 *
 * <p>While it is SCHEDULED, exactly one event record of this CQ exists, in the ring of one handler. The thread that takes the
 * record out, to run the handler or to withdraw the event, decides the next state.
 */
public final class CqDispatch implements EventRing.Subject {

    private static final int IDLE = NotificationFlow.Run.IDLE.ordinal();
    private static final int SCHEDULED = NotificationFlow.Run.SCHEDULED.ordinal();
    private static final int RUNNING = NotificationFlow.Run.RUNNING.ordinal();
    private static final int AGAIN = NotificationFlow.Run.AGAIN.ordinal();

    private final CqNotifier notifier;
    private final AtomicInteger state = new AtomicInteger();
    private volatile @Nullable RegisteredHandler running;
    private volatile @Nullable Thread runner;

    /** Contents of the record that was taken last; for the thread that took it. */
    private long signalledNs;

    private int datum;
    private int cause;

    CqDispatch(CqNotifier notifier) {
        this.notifier = notifier;
    }

    /** The handler is to run. Any thread. */
    void fire(RegisteredHandler handler, int newCause) {
        while (true) {
            int now = state.get();
            if (now == SCHEDULED || now == AGAIN) {
                // A run that has not begun yet finds the entries that this event is about.
                return;
            }
            if (now == IDLE && state.compareAndSet(IDLE, SCHEDULED)) {
                handler.post(this, newCause);
                return;
            }
            if (now == RUNNING && state.compareAndSet(RUNNING, AGAIN)) {
                return;
            }
        }
    }

    @Override
    public void onTaken(int takenDatum, int takenCause, long takenSignalledNs) {
        datum = takenDatum;
        signalledNs = takenSignalledNs;
        cause = takenCause;
    }

    /** The handler identification in its record. */
    public int datum() {
        return datum;
    }

    /** For which kind of entry it was written: ordinal of a {@link NotificationFlow.Event}. */
    public int cause() {
        return cause;
    }

    /** When its record was written. */
    public long signalledNs() {
        return signalledNs;
    }

    CompletionSource cq() {
        return notifier.cq();
    }

    /** Whether a record of this CQ belongs in this handler's ring. */
    boolean belongsTo(RegisteredHandler handler) {
        return notifier.target() == handler && !cq().closed();
    }

    /** Its record was taken out of this handler's ring to be served. */
    void serve(RegisteredHandler handler) {
        if (!belongsTo(handler)) {
            takenBack();
            return;
        }
        state.set(RUNNING);
        if (!runHandler(handler)) {
            notifier.keepEvent();
        }
        if (!state.compareAndSet(RUNNING, IDLE)) {
            state.set(SCHEDULED);
            takenBack();
        }
        cq().handlerEnded();
    }

    /** Its record was taken out of a ring and not served: the present handler of the CQ gets it, or the event becomes a request again. */
    void takenBack() {
        RegisteredHandler usable = notifier.usableTarget();
        if (usable != null) {
            usable.post(this, cause);
            return;
        }
        // A handler that is associated after this check finds no record. It finds the request that keepEvent stores.
        state.set(IDLE);
        notifier.keepEvent();
    }

    /** False when the handler was removed before it could begin. */
    private boolean runHandler(RegisteredHandler handler) {
        // A thread that removes a handler marks it, then reads these fields; this thread writes them, then reads the
        // mark.
        runner = Thread.currentThread();
        running = handler;
        try {
            if (handler.removed()) {
                return false;
            }
            if (!cq().closed()) {
                handler.run(this, signalledNs);
            }
        } finally {
            running = null;
            runner = null;
        }
        return true;
    }

    /** Whether no event is scheduled and no handler runs. */
    public boolean idle() {
        return state.get() == IDLE;
    }

    /** Whether another thread runs this handler now. */
    public boolean runsElsewhere(RegisteredHandler handler) {
        return running == handler && runsElsewhere();
    }

    /** Whether another thread runs a handler for this CQ now. */
    public boolean runsElsewhere() {
        Thread thread = runner;
        return thread != null && thread != Thread.currentThread();
    }

    /** Whether the calling thread runs a handler for this CQ. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public boolean runsHere() {
        return runner == Thread.currentThread();
    }

    /** Whether a handler runs for this CQ now, in whichever thread. */
    public boolean runs() {
        return runner != null;
    }
}
