package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionException.Kind;
import java.net.SocketAddress;
import java.util.Optional;

/** The first stage of a connection: TCP connects, or shared memory is offered on a stream that is connected. */
final class DialStage extends SetUpStage implements StreamLoop.ConnectEvents {

    private final Optional<Conversion> conversion;
    private boolean over;

    private DialStage(ConnectionSetUp setUp, Optional<Conversion> conversion) {
        super(setUp);
        this.conversion = conversion;
    }

    /** Offers the peer of a stream that the application has connected what the loop has in the place of the stream. */
    static void offer(ConnectionSetUp setUp, ByteStream stream, Conversion conversion) {
        DialStage stage = new DialStage(setUp, Optional.of(conversion));
        setUp.queuePair().begin(stage);
        stage.deadline(setUp.deadline().nextNs());
        stage.engine().streams().adoptOffering(stream, stage);
    }

    /** Begins to connect. */
    static void start(ConnectionSetUp setUp, Optional<SocketAddress> local, SocketAddress remote) {
        if (setUp.queuePair().abandoned(setUp.connection())) {
            setUp.queuePair()
                    .abandon(setUp.connection(), "The queue pair was closed before the connection was established.");
            return;
        }
        DialStage stage = new DialStage(setUp, Optional.empty());
        setUp.queuePair().begin(stage);
        stage.deadline(setUp.deadline().nextNs());
        try {
            stage.engine().streams().connect(local, remote, stage);
        } catch (RuntimeException e) {
            stage.giveUp(
                    Kind.FAILED, "The address " + AddressText.of(remote) + " is not usable: " + e.getMessage() + ".");
        }
    }

    @Override
    public void onConnected(ByteStream stream) {
        if (over) {
            stream.close(true);
            return;
        }
        over = true;
        queuePair().end(this);
        try {
            if (conversion.isPresent()) {
                StartUpStage.conversion(setUp(), stream, conversion.get());
            } else {
                queuePair().tcpConnected();
                StartUpStage.initiator(setUp(), stream);
            }
        } catch (Throwable e) {
            queuePair().bug("setting up a connection", e);
            stream.close(true);
        }
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        giveUp(refused ? Kind.REFUSED : Kind.FAILED, sentence);
    }

    @Override
    void giveUp(Kind kind, String sentence) {
        if (!over) {
            fence(sentence);
            setUp().failed(kind, sentence);
        }
    }

    @Override
    void fence(String sentence) {
        if (!over) {
            over = true;
            // A connecting socket would otherwise keep its descriptor until the system gives up.
            engine().streams().giveUpConnecting(this);
            queuePair().end(this);
        }
    }

    @Override
    void service(long nowNs) {}

    @Override
    void onDeadline(long nowNs) {
        if (setUp().deadline().passed(nowNs)) {
            giveUp(Kind.TIMED_OUT, "The host of the peer did not respond within " + setUp().timeout() + ".");
        } else {
            deadline(setUp().deadline().nextNs());
        }
    }

    @Override
    long stateDigest() {
        return Digest.mix(1, over ? 1 : 0);
    }
}
