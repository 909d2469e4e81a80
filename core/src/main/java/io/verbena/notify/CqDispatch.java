package io.verbena.notify;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one CQ: once an event, and never twice at the same time. {@link NotificationFlow#RUNS} is its table.
 *
 * <p>While it is SCHEDULED there is exactly one event record of this CQ, in the ring of one handler. Who takes the record
 * out, to run the handler or to take the event back, decides what becomes of it.
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

    /** From the record that was taken last; used by who took it. */
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
                // A run that has not begun sees whatever this event is about.
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

    /** Which handler its record named. */
    public int datum() {
        return datum;
    }

    /** For which kind of entry it was written: ordinal of a {@link NotificationFlow.Event}. */
    public int cause() {
        return cause;
    }

    /** When it was written. */
    public long signalledNs() {
        return signalledNs;
    }

    CompletionSource cq() {
        return notifier.cq();
    }

    /** Whether a record in this handler's ring is where it belongs. */
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

    /** Its record was taken out of a ring and not served: the handler that the CQ has now serves it, or it waits for one. */
    void takenBack() {
        RegisteredHandler now = notifier.usableTarget();
        if (now != null) {
            now.post(this, cause);
            return;
        }
        // The handler that comes after this look finds no record. It finds the request that keepEvent makes of it.
        state.set(IDLE);
        notifier.keepEvent();
    }

    /** False when the handler was removed before it could begin. */
    private boolean runHandler(RegisteredHandler handler) {
        // Who removes a handler marks it and then looks here; this marks itself and then looks whether it was removed.
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

    /** Whether nothing is under way. */
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

    /** Whether a handler runs for this CQ now, in whichever thread. */
    public boolean runs() {
        return runner != null;
    }
}
