package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.engine.RnicEngine;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A listener: the requests that wait for the application, and how it is notified of them. A transport's subclass accepts peers
 * and completes their requests, on one engine.
 */
public abstract class SoftListener implements Listener {

    private final RnicContext context;
    private final RnicEngine engine;
    private final int backlog;
    private final WaitPoint changed;
    private final SerialRunner runner;

    /** Requests that the application has not taken. */
    private final ArrayDeque<SoftConnectionRequest> waiting = new ArrayDeque<>();

    private volatile Optional<Runnable> ready = Optional.empty();
    private volatile boolean closed;

    /** A listener without requests. */
    protected SoftListener(RnicContext context, ListenOptions options) {
        if (options.backlog() < 1) {
            throw new IllegalArgumentException("the backlog must be 1 or more, not " + options.backlog());
        }
        if (Times.nanos(options.startUpTimeout()) == 0) {
            throw new IllegalArgumentException("the start-up time-out must be above zero");
        }
        this.context = context;
        this.engine = context.engines().working(0);
        this.backlog = options.backlog();
        this.changed = context.environment().newWaitPoint();
        this.runner = new SerialRunner(context.environment().listenerProcessor());
    }

    /** Accepts no peer from now on. Any thread. */
    protected abstract void stopAccepting();

    /** The listener is closed: ends set-ups whose request the application has not taken. On the engine. */
    protected void endSetUps() {}

    /** What the objects of the RNIC share. */
    public final RnicContext context() {
        return context;
    }

    /** The engine that serves peers until the application has decided on them. */
    protected final RnicEngine engine() {
        return engine;
    }

    @Override
    public final Optional<ConnectionRequest> nextRequest(Duration timeout) {
        changed.await(() -> closed || anyWaiting(), Times.nanos(timeout));
        synchronized (waiting) {
            SoftConnectionRequest next = waiting.pollFirst();
            if (next == null) {
                return Optional.empty();
            }
            next.take();
            return Optional.of(next);
        }
    }

    private boolean anyWaiting() {
        synchronized (waiting) {
            return !waiting.isEmpty();
        }
    }

    @Override
    public final void onReady(Runnable callback) {
        ready = Optional.of(callback);
        if (anyWaiting()) {
            notifyReady();
        }
    }

    /** Not on the engine, which a callback that blocks would hold up. */
    private void notifyReady() {
        ready.ifPresent(runner::add);
    }

    @Override
    public final boolean closed() {
        return closed;
    }

    @Override
    public final void close() {
        synchronized (waiting) {
            if (closed) {
                return;
            }
            closed = true;
            // Not taken, and never will be.
            waiting.clear();
        }
        stopAccepting();
        changed.signal();
        context.forget(this);
        engine.submit(this::endSetUps);
    }

    // On the engine.

    /** A request is complete; returns why it must be refused, if it must. */
    public final Optional<String> offer(SoftConnectionRequest request) {
        Optional<SoftConnectionRequest> displaced;
        synchronized (waiting) {
            if (closed) {
                return Optional.of("the listener is closed");
            }
            displaced = waiting.size() < backlog ? Optional.empty() : displacedBy(request);
            if (waiting.size() >= backlog && displaced.isEmpty()) {
                return Optional.of(backlogFull());
            }
            displaced.ifPresent(waiting::removeLastOccurrence);
            waiting.addLast(request);
        }
        displaced.ifPresent(it -> it.refuse(backlogFull()));
        changed.signal();
        notifyReady();
        return Optional.empty();
    }

    private String backlogFull() {
        return "the backlog of the listener, " + backlog + " requests that wait for its application, is full";
    }

    /** The last request of the network that has most in the backlog, if that is more than the new request's would have. */
    private Optional<SoftConnectionRequest> displacedBy(SoftConnectionRequest request) {
        Map<PeerNetwork, Integer> shares = new HashMap<>();
        waiting.forEach(it -> shares.merge(it.network(), 1, Integer::sum));
        int most = shares.values().stream().max(Integer::compare).orElse(0);
        if (most <= shares.getOrDefault(request.network(), 0) + 1) {
            return Optional.empty();
        }
        return waiting.reversed().stream()
                .filter(it -> shares.getOrDefault(it.network(), 0) == most)
                .findFirst();
    }

    /** A request is gone before the application took it. */
    public final void withdraw(SoftConnectionRequest request) {
        synchronized (waiting) {
            waiting.remove(request);
        }
    }
}
