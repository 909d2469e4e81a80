package io.verbena.rnic;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one CQ: once an event, and never twice at the same time. {@link NotificationFlow#RUNS} is its table.
 *
 * <p>While it is SCHEDULED there is exactly one event record of this CQ, in the ring of one handler. Who takes the record
 * out, to run the handler or to take the event back, decides what becomes of it.
 */
final class CqDispatch implements EventRing.Subject {

    private static final int IDLE = NotificationFlow.Run.IDLE.ordinal();
    private static final int SCHEDULED = NotificationFlow.Run.SCHEDULED.ordinal();
    private static final int RUNNING = NotificationFlow.Run.RUNNING.ordinal();
    private static final int AGAIN = NotificationFlow.Run.AGAIN.ordinal();

    private final SoftCompletionQueue cq;
    private final AtomicInteger state = new AtomicInteger();
    private volatile @Nullable RegisteredHandler running;
    private volatile @Nullable Thread runner;

    /** From the record that was taken last; used by who took it. */
    private long signalledNs;

    private int datum;
    private int cause;

    CqDispatch(SoftCompletionQueue cq) {
        this.cq = cq;
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
    int datum() {
        return datum;
    }

    SoftCompletionQueue cq() {
        return cq;
    }

    /** Its record was taken out of this handler's ring to be served. */
    void serve(RegisteredHandler handler) {
        Optional<RegisteredHandler> now = cq.registeredHandler();
        if (now.isEmpty() || now.get() != handler) {
            takenBack(handler);
            return;
        }
        state.set(RUNNING);
        if (!runHandler(handler)) {
            cq.keepEvent(handler);
        }
        if (state.compareAndSet(RUNNING, IDLE)) {
            return;
        }
        state.set(SCHEDULED);
        Optional<RegisteredHandler> next = cq.registeredHandler();
        if (next.isPresent() && !cq.closed()) {
            next.get().post(this, cause);
        } else {
            takenBack(handler);
        }
    }

    /** Its record was taken out of this handler's ring, which does not serve it: another one does, or it waits for one. */
    void takenBack(RegisteredHandler from) {
        Optional<RegisteredHandler> now = cq.registeredHandler();
        if (now.isPresent() && now.get() != from && now.get().usable() && !cq.closed()) {
            now.get().post(this, cause);
            return;
        }
        state.set(IDLE);
        cq.keepEvent(from);
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
            if (!cq.closed()) {
                handler.run(this, signalledNs);
            }
        } finally {
            running = null;
            runner = null;
            cq.handlerEnded();
        }
        return true;
    }

    /** Whether nothing is under way. */
    boolean idle() {
        return state.get() == IDLE;
    }

    /** Whether another thread runs this handler now. */
    boolean runsElsewhere(RegisteredHandler handler) {
        return running == handler && runsElsewhere();
    }

    /** Whether another thread runs a handler for this CQ now. */
    boolean runsElsewhere() {
        Thread thread = runner;
        return thread != null && thread != Thread.currentThread();
    }

    /** Whether this thread runs a handler for this CQ now. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean runsHere() {
        return runner == Thread.currentThread();
    }
}
