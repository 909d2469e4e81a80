package io.verbena.rnic.iwarp;

import io.verbena.base.Log;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.context.Overruns;
import io.verbena.rnic.context.RnicContext;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.PeerNetwork;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A listening TCP address. One engine serves the peers that connect until the application has decided on their
 * requests.
 */
final class IwarpListener extends SoftListener implements StreamLoop.AcceptEvents {

    /** Maximum number of peers in set-up, which bounds what unknown peers can make a listener allocate. */
    static final int MAX_HALF_OPEN = 1024;

    private static final int LEAST_BACKLOG = 128;

    /**
     * Maximum number of peers of one network in set-up that are only waiting for a rejection; further peers are reset.
     */
    private static final int MAX_REFUSED = 8;

    /** Maximum time for such a peer to send its request. */
    private static final long REFUSED_NS = 1_000_000_000L;

    private final ListenOptions options;
    private final StreamLoop.Acceptor acceptor;
    private final Survivors survivors;

    // Used by the engine only.
    private final HalfOpenPlaces halfOpen = new HalfOpenPlaces(MAX_HALF_OPEN);
    private final Overruns overruns = new Overruns();

    IwarpListener(RnicContext context, SocketAddress address, ListenOptions options, Survivors survivors)
            throws IOException {
        super(context, options);
        this.options = options;
        this.survivors = survivors;
        this.acceptor = engine().streams().listen(address, Math.max(options.backlog(), LEAST_BACKLOG), this);
    }

    @Override
    public SocketAddress localAddress() {
        return acceptor.localAddress();
    }

    @Override
    protected void stopAccepting() {
        acceptor.close();
    }

    @Override
    protected void endSetUps() {
        for (HalfOpen each : halfOpen.all()) {
            each.listenerClosed(engine().nowNs());
        }
    }

    // On the engine.

    @Override
    public void onAccepted(ByteStream stream) {
        if (closed()) {
            stream.close(true);
            return;
        }
        long nowNs = engine().nowNs();
        PeerNetwork network = PeerNetwork.of(stream.remoteAddress());
        Optional<String> refusal = context().violations().refusal(network, nowNs);
        if (refusal.isPresent() && halfOpen.of(network) >= MAX_REFUSED) {
            stream.close(true);
            return;
        }
        halfOpen.displaced().ifPresent(peer -> displace(peer, nowNs));
        long timeoutNs = Times.nanos(options.startUpTimeout());
        long waitNs = refusal.isPresent() ? Math.min(timeoutNs, REFUSED_NS) : timeoutNs;
        try {
            halfOpen.add(new HalfOpen(this, engine(), stream, waitNs, network, refusal));
        } catch (Throwable e) {
            Log.bug("accepting a stream", e);
            stream.close(true);
        }
    }

    private void displace(HalfOpen peer, long nowNs) {
        String sentence = MAX_HALF_OPEN + " peers are in set-up at " + AddressText.of(localAddress())
                + ": the oldest of " + peer.network() + ", which holds " + halfOpen.of(peer.network())
                + " places, was dropped";
        peer.displace();
        if (overruns.count(nowNs)) {
            context()
                    .report(
                            AsyncEventType.SET_UP_DROPPED,
                            this,
                            sentence + "; " + overruns.total() + " dropped in total.");
        }
    }

    /** The connections that a peer may want to continue. */
    Survivors survivors() {
        return survivors;
    }

    /** Removes a peer that is no longer half-open. */
    void forget(HalfOpen peer) {
        halfOpen.remove(peer);
    }

    @Override
    public long dropped() {
        return overruns.total();
    }

    /** Number of peers in set-up. */
    int halfOpenCount() {
        return halfOpen.size();
    }
}
