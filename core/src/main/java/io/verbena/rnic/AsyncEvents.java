package io.verbena.rnic;

import io.verbena.base.Log;
import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PageFault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Asynchronous events on their way to the application: a bounded queue, and a listener if there is one. */
public final class AsyncEvents {

    /** Events kept for an application that does not look; the oldest are dropped first. */
    static final int MOST_KEPT = 1024;

    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private Optional<AsyncEventListener> listener = Optional.empty();

    AsyncEvents(Environment environment) {
        arrived = environment.newWaitPoint();
        runner = new SerialRunner(environment.listenerProcessor());
    }

    /** Tells an event. Any thread. */
    public void raise(AsyncEventType type, Object subject, String sentence) {
        raise(new AsyncEvent(type, subject, sentence));
    }

    /** Tells a page fault. Any thread. */
    void raise(PageFault fault, Object subject, String sentence) {
        raise(new AsyncEvent(AsyncEventType.PAGE_FAULT, subject, OptionalInt.empty(), Optional.of(fault), sentence));
    }

    private void raise(AsyncEvent event) {
        boolean tell;
        synchronized (this) {
            if (events.size() == MOST_KEPT) {
                events.pollFirst();
            }
            events.addLast(event);
            tell = listener.isPresent();
        }
        if (tell) {
            runner.add(this::deliver);
        }
        arrived.signal();
    }

    /**
     * An object is destroyed: where nobody listens, what was not taken of its events is dropped with it, as ibv_destroy_qp does,
     * so that an application that does not look at events keeps nothing alive that is gone.
     */
    synchronized void forget(Object subject) {
        if (listener.isEmpty()) {
            events.removeIf(event -> event.subject() == subject);
        }
    }

    /** The listener from now on; what waits is told to it. */
    void listener(AsyncEventListener newListener) {
        synchronized (this) {
            listener = Optional.of(newListener);
        }
        runner.add(this::deliver);
    }

    /** Takes all that waits, after waiting for the first. */
    List<AsyncEvent> poll(long timeoutNs) {
        arrived.await(() -> !isEmpty(), timeoutNs);
        synchronized (this) {
            List<AsyncEvent> taken = new ArrayList<>(events);
            events.clear();
            return taken;
        }
    }

    private synchronized boolean isEmpty() {
        return events.isEmpty();
    }

    private void deliver() {
        while (true) {
            AsyncEvent event;
            AsyncEventListener to;
            synchronized (this) {
                if (events.isEmpty() || listener.isEmpty()) {
                    return;
                }
                event = events.removeFirst();
                to = listener.get();
            }
            try {
                to.onEvent(event);
            } catch (Throwable e) {
                Log.callback("The listener for asynchronous events", e);
            }
        }
    }
}
