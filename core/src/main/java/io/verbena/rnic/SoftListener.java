package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.port.Addresses;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A listening address. Peers that connect are looked after by one engine until the application has decided on them. */
final class SoftListener implements Listener, StreamLoop.AcceptEvents {

    /** Most peers in set-up at once: what strangers can make a listener hold. */
    static final int MOST_HALF_OPEN = 1024;

    /** Most peers in set-up that only wait for a refusal, of one network; more are reset. */
    private static final int MOST_REFUSED = 8;

    /** How long one of them may take to ask. */
    private static final long REFUSED_NS = 1_000_000_000L;

    private final SoftRnic rnic;
    private final RnicEngine engine;
    private final ListenOptions options;
    private final WaitPoint changed;
    private final SerialRunner runner;
    private final StreamLoop.Acceptor acceptor;

    /** Requests that wait to be looked at. */
    private final ArrayDeque<SoftConnectionRequest> waiting = new ArrayDeque<>();

    // The engine's own.
    private final HalfOpenPlaces halfOpen = new HalfOpenPlaces(MOST_HALF_OPEN);
    private final Overruns overruns = new Overruns();

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
            for (HalfOpen each : halfOpen.all()) {
                each.listenerClosed(engine.nowNs());
            }
        });
    }

    // On the engine.

    @Override
    public void onAccepted(ByteStream stream) {
        if (closed) {
            stream.close(true);
            return;
        }
        long nowNs = engine.nowNs();
        PeerNetwork network = PeerNetwork.of(stream.remoteAddress());
        Optional<String> refusal = rnic.violations().refusal(network, nowNs);
        if (refusal.isPresent() && halfOpen.of(network) >= MOST_REFUSED) {
            stream.close(true);
            return;
        }
        halfOpen.displaced().ifPresent(peer -> displace(peer, nowNs));
        long timeoutNs = Times.nanos(options.startUpTimeout());
        long waitNs = refusal.isPresent() ? Math.min(timeoutNs, REFUSED_NS) : timeoutNs;
        try {
            halfOpen.add(new HalfOpen(this, engine, stream, waitNs, network, refusal));
        } catch (Throwable e) {
            Log.bug("accepting a stream", e);
            stream.close(true);
        }
    }

    private void displace(HalfOpen peer, long nowNs) {
        String sentence = MOST_HALF_OPEN + " peers are in set-up at " + Addresses.text(localAddress())
                + ": the oldest of " + peer.network() + ", which holds " + halfOpen.of(peer.network())
                + " of the places, was dropped";
        peer.displace();
        if (overruns.count(nowNs)) {
            rnic.report(AsyncEventType.SET_UP_DROPPED, this, sentence + "; " + overruns.total() + " dropped so far.");
        }
    }

    /** A request is complete; why it has to be turned away, if it has to be. */
    Optional<String> offer(SoftConnectionRequest request) {
        Optional<SoftConnectionRequest> instead;
        synchronized (waiting) {
            if (closed) {
                return Optional.of("the listener is closed");
            }
            instead = waiting.size() < options.backlog() ? Optional.empty() : crowdingOut(request);
            if (waiting.size() >= options.backlog() && instead.isEmpty()) {
                return Optional.of(backlogFull());
            }
            instead.ifPresent(waiting::removeLastOccurrence);
            waiting.addLast(request);
        }
        long nowNs = engine.nowNs();
        instead.ifPresent(it -> it.peer().turnAway(Refusal.privateData(backlogFull()), nowNs));
        changed.signal();
        tellReady();
        return Optional.empty();
    }

    private String backlogFull() {
        return "the backlog of the listener, " + options.backlog() + " requests that wait for its application, is full";
    }

    /** The last request of the network that has most in the backlog, if that is more than the new request's would have. */
    private Optional<SoftConnectionRequest> crowdingOut(SoftConnectionRequest request) {
        Map<PeerNetwork, Integer> shares = new HashMap<>();
        waiting.forEach(it -> shares.merge(it.peer().network(), 1, Integer::sum));
        int most = shares.values().stream().max(Integer::compare).orElse(0);
        if (most <= shares.getOrDefault(request.peer().network(), 0) + 1) {
            return Optional.empty();
        }
        return waiting.reversed().stream()
                .filter(it -> shares.getOrDefault(it.peer().network(), 0) == most)
                .findFirst();
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

    /** Peers that were dropped in set-up, for others that needed their places. */
    long droppedCount() {
        return overruns.total();
    }

    /** Peers in set-up. */
    int halfOpenCount() {
        return halfOpen.size();
    }
}
