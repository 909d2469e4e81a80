package io.verbena.hardware.provider;

import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Asynchronous events for the program: a bounded queue, and a listener if one is registered. */
final class AsyncEventQueue {

    private static final int MOST = 1024;

    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private Optional<AsyncEventListener> listener = Optional.empty();

    AsyncEventQueue(WaitPoint arrived, SerialRunner runner) {
        this.arrived = arrived;
        this.runner = runner;
    }

    void raise(AsyncEvent event) {
        boolean heard;
        synchronized (this) {
            if (events.size() == MOST) {
                events.removeFirst();
            }
            events.addLast(event);
            heard = listener.isPresent();
        }
        if (heard) {
            runner.add(this::deliver);
        }
        arrived.signal();
    }

    /** Has the events reported to this from now on, with those that wait. */
    void listener(AsyncEventListener value) {
        synchronized (this) {
            listener = Optional.of(value);
        }
        runner.add(this::deliver);
    }

    List<AsyncEvent> poll(long timeoutNs, BooleanSupplier ended) {
        arrived.await(() -> !isEmpty() || ended.getAsBoolean(), timeoutNs);
        synchronized (this) {
            List<AsyncEvent> taken = new ArrayList<>(events);
            events.clear();
            return taken;
        }
    }

    void wake() {
        arrived.signal();
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
            to.onEvent(event); // the runner logs what it throws
        }
    }
}
