package io.verbena.rnic;

import io.verbena.verbs.HandlerProcessor;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one CQ on its processor: once an event, and never twice at the same time.
 *
 * <pre>
 *             fire                run               fire
 *   IDLE ------------> SCHEDULED -----> RUNNING ------------> AGAIN
 *    ^                     ^               | done               | done
 *    +---------------------|---------------+                    |
 *                          +------------------------------------+
 * </pre>
 */
final class CqDispatch implements Runnable {

    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int RUNNING = 2;
    private static final int AGAIN = 3;

    private final SoftCompletionQueue cq;
    private final AtomicInteger state = new AtomicInteger();
    private volatile @Nullable RegisteredHandler running;
    private volatile @Nullable Thread runner;
    private volatile @Nullable HandlerProcessor scheduledOn;

    CqDispatch(SoftCompletionQueue cq) {
        this.cq = cq;
    }

    /** The handler is to run. Any thread. */
    void fire(RegisteredHandler handler) {
        while (true) {
            int now = state.get();
            if (now == SCHEDULED || now == AGAIN) {
                // A run that has not begun sees whatever this event is about.
                return;
            }
            if (now == IDLE && state.compareAndSet(IDLE, SCHEDULED)) {
                schedule(handler);
                return;
            }
            if (now == RUNNING && state.compareAndSet(RUNNING, AGAIN)) {
                return;
            }
        }
    }

    private void schedule(RegisteredHandler handler) {
        scheduledOn = handler.processor();
        try {
            handler.processor().signal(handler.id(), this);
        } catch (RuntimeException e) {
            Log.callback("A handler processor", e);
            state.set(IDLE);
            cq.keepEvent();
        }
    }

    @Override
    public void run() {
        if (state.get() != SCHEDULED) {
            return;
        }
        Optional<RegisteredHandler> handler = cq.registeredHandler();
        if (handler.isPresent() && scheduledOn != handler.get().processor()) {
            // The CQ has moved to a handler with another processor meanwhile.
            schedule(handler.get());
            return;
        }
        if (!state.compareAndSet(SCHEDULED, RUNNING)) {
            return;
        }
        boolean told = handler.isPresent() && runHandler(handler.get());
        if (!told) {
            cq.keepEvent();
        }
        if (state.compareAndSet(RUNNING, IDLE)) {
            return;
        }
        state.set(SCHEDULED);
        Optional<RegisteredHandler> next = cq.registeredHandler();
        if (next.isPresent()) {
            schedule(next.get());
        } else {
            state.set(IDLE);
            cq.keepEvent();
        }
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
                handler.handler().onCompletion(cq);
            }
        } catch (Throwable e) {
            Log.callback("A CQ handler", e);
        } finally {
            running = null;
            runner = null;
            cq.rnic().changed();
        }
        return true;
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
}
