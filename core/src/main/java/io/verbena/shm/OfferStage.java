package io.verbena.shm;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A connection to a listener that is said to accept shared memory, until the kind of its stream is decided:
 *
 * <pre>
 *   the socket connects, to this host     the memory is offered
 *   the listener has opened the memory    a stream through it
 *   the listener cannot open it           the socket itself
 *   the listener does not know offers     another socket, without an offer
 * </pre>
 */
final class OfferStage implements StreamLoop.ConnectEvents, StreamEvents {

    private final ChoosingLoop home;
    private final Optional<SocketAddress> local;
    private final SocketAddress remote;
    private final StreamLoop.ConnectEvents owner;
    private Optional<ByteStream> socket = Optional.empty();
    private Optional<SetUp> setUp = Optional.empty();
    private final boolean reconnects;
    private boolean over;

    /** To connect first. */
    OfferStage(ChoosingLoop home, Optional<SocketAddress> local, SocketAddress remote, StreamLoop.ConnectEvents owner) {
        this.home = home;
        this.local = local;
        this.remote = remote;
        this.owner = owner;
        reconnects = true;
    }

    /** On a stream that the application has connected. */
    OfferStage(ChoosingLoop home, ByteStream connected, StreamLoop.ConnectEvents owner) {
        this.home = home;
        local = Optional.empty();
        remote = connected.remoteAddress();
        this.owner = owner;
        reconnects = false;
    }

    void start() {
        home.sockets().connect(local, remote, this);
    }

    @Override
    public void onConnected(ByteStream stream) {
        if (over) {
            stream.close(true);
            return;
        }
        if (!ChoosingLoop.withinThisHost(stream)) {
            end();
            owner.onConnected(stream);
            return;
        }
        try {
            setUp = Optional.of(home.rings().offer(stream));
        } catch (IOException e) {
            end(); // no memory to offer
            owner.onConnected(stream);
            return;
        }
        socket = Optional.of(stream);
        home.sockets().attach(stream, this);
        advance();
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        if (!over) {
            end();
            owner.onConnectFailed(refused, sentence);
        }
    }

    @Override
    public void onReadable() {
        advance();
    }

    @Override
    public void onWritable() {
        advance();
    }

    private void advance() {
        if (over) {
            return;
        }
        ByteStream stream = socket.orElseThrow();
        SetUp exchange = setUp.orElseThrow();
        try {
            boolean complete = exchange.advance();
            stream.wantWritable(!complete && exchange.sending());
            if (!complete) {
                return;
            }
            leave(stream);
            owner.onConnected(new RingStream(home.rings(), stream, exchange));
        } catch (MemoryNotOpened e) {
            leave(stream);
            exchange.abandon();
            owner.onConnected(stream);
        } catch (IOException | InternalError e) {
            // What was announced is gone, or was false: InternalError if a peer has truncated a file.
            leave(stream);
            exchange.abandon();
            stream.close(true);
            if (reconnects) {
                home.sockets().connect(local, remote, owner);
            } else {
                owner.onConnectFailed(
                        false, "The peer did not answer the offer of shared memory: " + e.getMessage() + ".");
            }
        }
    }

    private void leave(ByteStream stream) {
        end();
        stream.wantWritable(false);
        home.sockets().detach(stream);
    }

    private void end() {
        over = true;
        home.forget(owner);
    }

    /** The owner does not wait any more: nothing is reported. */
    void giveUp() {
        if (over) {
            return;
        }
        end();
        if (socket.isPresent()) {
            home.sockets().detach(socket.get());
            setUp.ifPresent(SetUp::abandon);
            socket.get().close(true);
        } else {
            home.sockets().giveUpConnecting(this);
        }
    }
}
