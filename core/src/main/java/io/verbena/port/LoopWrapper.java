package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A loop around another one that wraps every stream it makes, so that faults and capture work over any kind of stream.
 * Wrappers nest: the innermost is nearest to the wire.
 */
public abstract class LoopWrapper implements StreamLoop {

    private final StreamLoop inner;

    protected LoopWrapper(StreamLoop inner) {
        this.inner = inner;
    }

    /** Puts a wrapper around a new stream, which this side opened, or which was accepted. */
    protected abstract StreamWrapper wrap(ByteStream stream, boolean initiator);

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        inner.connect(local, remote, new ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                events.onConnected(wrap(stream, true));
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                events.onConnectFailed(refused, sentence);
            }
        });
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        return inner.listen(local, backlog, stream -> events.onAccepted(wrap(stream, false)));
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        StreamWrapper wrapper = (StreamWrapper) stream;
        inner.attach(wrapper.inner(), wrapper.attached(this, events));
    }

    @Override
    public void detach(ByteStream stream) {
        StreamWrapper wrapper = (StreamWrapper) stream;
        inner.detach(wrapper.inner());
        wrapper.detached();
    }
}
