package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A listening address. Peers that connect are looked after by one engine until the application has decided on them. */
final class SoftListener implements Listener, StreamLoop.AcceptEvents {

    /** Most peers in set-up at once: what strangers can make a listener hold. */
    static final int MOST_HALF_OPEN = 1024;

    private final SoftRnic rnic;
    private final RnicEngine engine;
    private final ListenOptions options;
    private final WaitPoint changed;
    private final SerialRunner runner;
    private final StreamLoop.Acceptor acceptor;

    /** Requests that wait to be looked at. */
    private final ArrayDeque<SoftConnectionRequest> waiting = new ArrayDeque<>();

    /** The engine's own. */
    private final Set<HalfOpen> halfOpen = new LinkedHashSet<>();

    private volatile Optional<Runnable> ready = Optional.empty();
    private volatile boolean closed;

    SoftListener(SoftRnic rnic, SocketAddress address, ListenOptions options) throws IOException {
        if (options.backlog() < 1) {
            throw new IllegalArgumentException("the backlog must be 1 or more, not " + options.backlog());
        }
        if (Times.nanos(options.startUpTimeout()) == 0) {
            throw new IllegalArgumentException("the start-up time-out must be above zero");
        }
        this.rnic = rnic;
        this.engine = rnic.working(0);
        this.options = options;
        this.changed = rnic.environment().newWaitPoint();
        this.runner = new SerialRunner(rnic.environment());
        this.acceptor = engine.loop().listen(address, Math.max(options.backlog(), 128), this);
    }

    SoftRnic rnic() {
        return rnic;
    }

    /** Where peers are looked after until they are decided on. */
    RnicEngine engine() {
        return engine;
    }

    @Override
    public SocketAddress localAddress() {
        return acceptor.localAddress();
    }

    @Override
    public Optional<ConnectionRequest> nextRequest(Duration timeout) {
        changed.await(() -> closed || anyWaiting(), Times.nanos(timeout));
        synchronized (waiting) {
            SoftConnectionRequest next = waiting.pollFirst();
            if (next == null) {
                return Optional.empty();
            }
            next.look();
            return Optional.of(next);
        }
    }

    private boolean anyWaiting() {
        synchronized (waiting) {
            return !waiting.isEmpty();
        }
    }

    @Override
    public void onReady(Runnable callback) {
        ready = Optional.of(callback);
        if (anyWaiting()) {
            tellReady();
        }
    }

    /** Not on the engine, which a callback that blocks would hold up. */
    private void tellReady() {
        ready.ifPresent(runner::add);
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (waiting) {
            if (closed) {
                return;
            }
            closed = true;
            // Not looked at, and never will be.
            waiting.clear();
        }
        acceptor.close();
        changed.signal();
        rnic.listenerClosed(this);
        engine.submit(() -> {
            for (HalfOpen each : List.copyOf(halfOpen)) {
                each.listenerClosed(engine.nowNs());
            }
        });
    }

    // On the engine.

    @Override
    public void onAccepted(ByteStream stream) {
        if (closed || halfOpen.size() >= MOST_HALF_OPEN || rnic.violations().refuses(stream.remoteAddress())) {
            stream.close(true);
            return;
        }
        try {
            halfOpen.add(new HalfOpen(this, engine, stream, Times.nanos(options.startUpTimeout())));
        } catch (Throwable e) {
            Log.bug("accepting a stream", e);
            stream.close(true);
        }
    }

    /** A request is complete; false when it has to be turned away. */
    boolean offer(SoftConnectionRequest request) {
        synchronized (waiting) {
            if (closed || waiting.size() >= options.backlog()) {
                return false;
            }
            waiting.addLast(request);
        }
        changed.signal();
        tellReady();
        return true;
    }

    /** A request is gone before it was looked at. */
    void withdraw(SoftConnectionRequest request) {
        synchronized (waiting) {
            waiting.remove(request);
        }
    }

    /** A peer is not half-open any more. */
    void forget(HalfOpen peer) {
        halfOpen.remove(peer);
    }

    /** Peers in set-up. */
    int halfOpenCount() {
        return halfOpen.size();
    }
}
