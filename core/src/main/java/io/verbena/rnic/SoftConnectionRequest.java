package io.verbena.rnic;

import io.verbena.iwarp.startup.PeerRequest;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.QueuePair;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A peer's request as the application looks at it. */
final class SoftConnectionRequest implements ConnectionRequest {

    private final HalfOpen peer;
    private final SoftRnic rnic;
    private final PeerRequest request;
    private final SocketAddress localAddress;
    private final SocketAddress remoteAddress;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean lookedAt;

    SoftConnectionRequest(
            HalfOpen peer,
            SoftRnic rnic,
            PeerRequest request,
            SocketAddress localAddress,
            SocketAddress remoteAddress) {
        this.peer = peer;
        this.rnic = rnic;
        this.request = request;
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
    }

    @Override
    public SocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public byte[] privateData() {
        return request.privateData().toArray();
    }

    @Override
    public int inboundReads() {
        return request.depths().ird();
    }

    @Override
    public int outboundReads() {
        return request.depths().ord();
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        SoftQueuePair mine = rnic.mine(queuePair);
        StartUpOptions startUp = SetUp.responder(options, mine.options(), rnic.options());
        SoftConnection connection = new SoftConnection(mine, remoteAddress, true);
        connection.addresses(localAddress, remoteAddress);
        connection.privateData(privateData());
        if (!decided.compareAndSet(false, true)) {
            throw decidedAlready();
        }
        try {
            mine.life().claim(connection, ConnectionEvent.TAKE_OVER);
        } catch (RuntimeException e) {
            decided.set(false);
            throw e;
        }
        SetUp setUp = new SetUp(mine, connection, startUp, options);
        peer.engine().submit(() -> {
            try {
                peer.handOver(setUp);
            } catch (Throwable e) {
                mine.life().command(() -> mine.life().onBug("handing a peer over", e));
            }
        });
        return connection;
    }

    @Override
    public void reject(byte[] privateData) {
        PrivateData word = PrivateData.of(privateData);
        if (word.length() > request.maxReplyPrivateDataLength()) {
            throw new IllegalArgumentException("the reply has room for " + request.maxReplyPrivateDataLength()
                    + " bytes of private data, and these are " + word.length());
        }
        if (!decided.compareAndSet(false, true)) {
            throw decidedAlready();
        }
        peer.engine().submit(() -> peer.turnAway(word, peer.engine().nowNs()));
    }

    private static IllegalStateException decidedAlready() {
        return new IllegalStateException("this request was accepted or rejected before; exactly one of the two, once");
    }

    HalfOpen peer() {
        return peer;
    }

    void look() {
        lookedAt = true;
    }

    /** Whether the application has it. */
    boolean lookedAt() {
        return lookedAt;
    }
}
