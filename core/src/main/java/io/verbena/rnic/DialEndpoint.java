package io.verbena.rnic;

import io.verbena.base.Digest;
import io.verbena.port.Addresses;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.ConnectionException.Kind;
import java.net.SocketAddress;
import java.util.Optional;

/** A connection in its first phase: a TCP connection is being made. */
final class DialEndpoint extends Endpoint implements StreamLoop.ConnectEvents {

    private final SetUp setUp;
    private final RnicEngine engine;
    private boolean over;

    private DialEndpoint(SetUp setUp) {
        this.setUp = setUp;
        this.engine = setUp.engine();
    }

    /** Begins. */
    static void start(SetUp setUp, Optional<SocketAddress> local, SocketAddress remote) {
        if (setUp.queuePair().life().abandoned(setUp.connection())) {
            setUp.queuePair()
                    .life()
                    .abandon(setUp.connection(), "The queue pair was closed before the connection stood.");
            return;
        }
        DialEndpoint endpoint = new DialEndpoint(setUp);
        endpoint.engine.join(endpoint);
        endpoint.engine.deadline(endpoint, setUp.deadlineNs());
        setUp.queuePair().life().endpoint(endpoint);
        try {
            endpoint.engine.loop().connect(local, remote, endpoint);
        } catch (RuntimeException e) {
            endpoint.giveUp(
                    Kind.FAILED, "The address " + Addresses.text(remote) + " cannot be used: " + e.getMessage() + ".");
        }
    }

    @Override
    public void onConnected(ByteStream stream) {
        if (over) {
            stream.close(true);
            return;
        }
        over = true;
        engine.leave(this);
        try {
            setUp.queuePair().life().tcpStands();
            StartUpEndpoint.initiator(setUp, stream);
        } catch (Throwable e) {
            setUp.queuePair().life().onBug("setting up a connection", e);
            stream.close(true);
        }
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        giveUp(refused ? Kind.REFUSED : Kind.FAILED, sentence);
    }

    private void giveUp(Kind kind, String sentence) {
        if (!over) {
            over = true;
            engine.leave(this);
            // A socket that is still being connected would keep its descriptor until the system gives up.
            engine.loop().giveUpConnecting(this);
            setUp.failed(this, kind, sentence);
        }
    }

    @Override
    void service(long nowNs) {}

    @Override
    void onDeadline(long nowNs) {
        giveUp(Kind.TIMED_OUT, "The peer's host did not answer in time.");
    }

    @Override
    void abort(String sentence, long nowNs) {
        giveUp(Kind.FAILED, sentence);
    }

    @Override
    void disconnect(long nowNs) {
        giveUp(Kind.FAILED, "The application closed the connection before it stood.");
    }

    @Override
    void onBug(String sentence, long nowNs) {
        giveUp(Kind.FAILED, sentence);
    }

    @Override
    long stateDigest() {
        return Digest.mix(1, over ? 1 : 0);
    }
}
