package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.engine.RnicEngine;
import io.verbena.notify.SerialRunner;
import io.verbena.objects.ConnectionRules;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A listener: the queue of requests for the application, and their notification. The subclass of a transport accepts
 * peers and receives their requests, on one engine.
 */
public abstract class SoftListener implements Listener {

    private final RnicContext context;
    private final RnicEngine engine;
    private final int backlog;
    private final WaitPoint changed;
    private final SerialRunner runner;

    /** Requests that the application has not taken yet. */
    private final WaitingRequests waiting = new WaitingRequests();

    private final AtomicLong refused = new AtomicLong();
    private volatile Optional<Runnable> ready = Optional.empty();
    private final Closing closing = new Closing();
    private volatile boolean closed;

    /** A listener without requests. */
    protected SoftListener(RnicContext context, ListenOptions options) {
        ConnectionRules.check(options);
        this.context = context;
        this.engine = context.engines().working(0);
        this.backlog = options.backlog();
        this.changed = context.waits().newPoint();
        this.runner = new SerialRunner(context.environment().listenerProcessor());
    }

    /** Stops accepting peers. Any thread. */
    protected abstract void stopAccepting();

    /** Ends set-ups whose request the application has not taken, when the listener is closed. On the engine. */
    protected void endSetUps() {}

    /** The context shared by all objects of the RNIC. */
    public final RnicContext context() {
        return context;
    }

    /** The engine that serves peers until the application has decided on their requests. */
    protected final RnicEngine engine() {
        return engine;
    }

    @Override
    public final Optional<ConnectionRequest> nextRequest(Duration timeout) {
        changed.await(() -> closed() || anyWaiting(), Times.nanos(timeout));
        synchronized (waiting) {
            return waiting.poll().map(next -> {
                next.take();
                return next;
            });
        }
    }

    private boolean anyWaiting() {
        return waiting() > 0;
    }

    // Figures.

    /** Number of requests that the application has not taken yet. Any thread. */
    final int waiting() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    /** Maximum number of these requests. */
    final int backlog() {
        return backlog;
    }

    /** Number of requests that were refused because the backlog was full. Any thread. */
    final long refused() {
        return refused.get();
    }

    /** Number of peers that were dropped during set-up to free their places. Any thread. */
    public long dropped() {
        return 0;
    }

    @Override
    public final void onReady(Runnable callback) {
        ready = Optional.of(callback);
        if (anyWaiting()) {
            notifyReady();
        }
    }

    /** Runs the callback outside the engine, since a callback that blocks would delay it. */
    private void notifyReady() {
        ready.ifPresent(runner::add);
    }

    @Override
    public final boolean closed() {
        // A thread that may not use the engine cannot close the listener, but it can close the RNIC with its sockets.
        return closed || context.waits().ended() || context.stopped();
    }

    @Override
    public final void close() {
        closing.close(context, this::refuseRequests, this::end);
    }

    private void refuseRequests() {
        engine.checkCaller();
        synchronized (waiting) {
            closed = true;
            // The remaining requests will never be taken.
            waiting.clear();
        }
    }

    private void end() {
        stopAccepting();
        changed.signal();
        context.forget(this);
        engine.submit(this::endSetUps);
    }

    // On the engine.

    /** Queues a complete request; returns the reason if the request must be rejected. */
    public final Optional<String> offer(SoftConnectionRequest request) {
        Optional<SoftConnectionRequest> displaced;
        synchronized (waiting) {
            if (closed) {
                return Optional.of("the listener is closed");
            }
            displaced = waiting.size() < backlog ? Optional.empty() : waiting.displace(request.network());
            if (waiting.size() >= backlog) {
                return Optional.of(backlogFull());
            }
            waiting.add(request);
        }
        displaced.ifPresent(it -> it.refuse(backlogFull()));
        changed.signal();
        notifyReady();
        return Optional.empty();
    }

    private String backlogFull() {
        refused.incrementAndGet();
        return "the backlog of the listener is full: " + backlog + " requests wait for the application";
    }

    /** Removes a request that ended before the application took it. */
    public final void withdraw(SoftConnectionRequest request) {
        synchronized (waiting) {
            waiting.remove(request);
        }
    }
}
