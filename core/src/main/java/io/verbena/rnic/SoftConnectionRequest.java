package io.verbena.rnic;

import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.PeerNetwork;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A peer's connection request as seen by the application: the part common to all transports. */
public abstract class SoftConnectionRequest implements ConnectionRequest {

    private final SocketAddress localAddress;
    private final SocketAddress remoteAddress;
    private final byte[] privateData;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean taken;

    /** An undecided request. */
    protected SoftConnectionRequest(SocketAddress localAddress, SocketAddress remoteAddress, byte[] privateData) {
        this.privateData = privateData.clone();
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
    }

    @Override
    public final SocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public final SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public final byte[] privateData() {
        return privateData.clone();
    }

    /** The peer's Read depth; 0 if the transport does not exchange depths. */
    @Override
    public int inboundReads() {
        return 0;
    }

    /** The peer's Read depth; 0 if the transport does not exchange depths. */
    @Override
    public int outboundReads() {
        return 0;
    }

    /** The network that the peer counts for. */
    protected PeerNetwork network() {
        return PeerNetwork.of(remoteAddress);
    }

    /** Rejects the request on behalf of the RNIC. Called by the listener's engine. */
    protected abstract void refuse(String reason);

    /**
     * Records that the application accepts or rejects.
     *
     * @throws IllegalStateException if it has already done so
     */
    protected final void decide() {
        if (!decided.compareAndSet(false, true)) {
            throw new IllegalStateException("this request has already been accepted or rejected");
        }
    }

    /** Withdraws a decision that could not be carried out. The application may decide again. */
    protected final void undecide() {
        decided.set(false);
    }

    /** Records that the application has taken the request from the listener. */
    final void take() {
        taken = true;
    }

    /** Whether the application has taken the request. */
    public final boolean taken() {
        return taken;
    }
}
