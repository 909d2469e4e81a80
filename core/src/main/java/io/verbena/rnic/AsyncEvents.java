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

/** Asynchronous events for the application: a bounded queue, and a listener if one is registered. */
public final class AsyncEvents {

    /** Maximum number of queued events. When the queue is full, the oldest event is dropped. */
    static final int MAX_QUEUED = 1024;

    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private final DataWaits waits;
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private Optional<AsyncEventListener> listener = Optional.empty();

    AsyncEvents(Environment environment, DataWaits waits) {
        this.waits = waits;
        arrived = waits.newPoint();
        runner = new SerialRunner(environment.listenerProcessor());
    }

    /** Reports an event. Any thread. */
    public void raise(AsyncEventType type, Object subject, String sentence) {
        raise(new AsyncEvent(type, subject, sentence));
    }

    /** Reports a page fault. Any thread. */
    void raise(PageFault fault, Object subject, String sentence) {
        raise(new AsyncEvent(AsyncEventType.PAGE_FAULT, subject, OptionalInt.empty(), Optional.of(fault), sentence));
    }

    private void raise(AsyncEvent event) {
        boolean notify;
        synchronized (this) {
            if (events.size() == MAX_QUEUED) {
                events.pollFirst();
            }
            events.addLast(event);
            notify = listener.isPresent();
        }
        if (notify) {
            runner.add(this::deliver);
        }
        arrived.signal();
    }

    /**
     * Drops the queued events of a destroyed object if no listener is registered, as ibv_destroy_qp does, so that an
     * application that does not read events does not keep destroyed objects alive.
     */
    synchronized void forget(Object subject) {
        if (listener.isEmpty()) {
            events.removeIf(event -> event.subject() == subject);
        }
    }

    /** Sets the listener. Queued events are delivered to it. */
    void listener(AsyncEventListener newListener) {
        synchronized (this) {
            listener = Optional.of(newListener);
        }
        runner.add(this::deliver);
    }

    /** Waits for the first event and removes all queued events. */
    List<AsyncEvent> poll(long timeoutNs) {
        arrived.await(() -> !isEmpty() || waits.ended(), timeoutNs);
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
