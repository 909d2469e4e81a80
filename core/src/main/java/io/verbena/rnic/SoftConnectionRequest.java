package io.verbena.rnic;

import io.verbena.verbs.ConnectionRequest;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A peer's request as the application sees it: what is the same on every transport. */
public abstract class SoftConnectionRequest implements ConnectionRequest {

    private final SocketAddress localAddress;
    private final SocketAddress remoteAddress;
    private final byte[] privateData;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean taken;

    /** A request that nobody has decided on. */
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

    /** The peer's read depth; 0 where the transport does not exchange depths. */
    @Override
    public int inboundReads() {
        return 0;
    }

    /** The peer's read depth; 0 where the transport does not exchange depths. */
    @Override
    public int outboundReads() {
        return 0;
    }

    /** The network that the peer is counted for. */
    protected PeerNetwork network() {
        return PeerNetwork.of(remoteAddress);
    }

    /** The RNIC itself rejects the request, for this reason. The listener's engine calls it. */
    protected abstract void refuse(String reason);

    /**
     * The application accepts or rejects.
     *
     * @throws IllegalStateException when it has done so before
     */
    protected final void decide() {
        if (!decided.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "this request was accepted or rejected before; exactly one of the two, once");
        }
    }

    /** What the application decided could not be done; it may decide again. */
    protected final void undecide() {
        decided.set(false);
    }

    /** The application takes it from the listener. */
    final void take() {
        taken = true;
    }

    /** Whether the application has it. */
    public final boolean taken() {
        return taken;
    }
}
