package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.IdentityHashMap;
import java.util.Optional;

/**
 * A loop that wraps every stream of another loop, so that faults and captures work with any kind of stream. Wrappers
 * can be nested; the innermost one is nearest to the wire.
 */
public abstract class LoopWrapper implements StreamLoop {

    private final StreamLoop inner;

    /** The events passed to the inner loop instead of the owner's events, while a connection is being established. */
    private final IdentityHashMap<ConnectEvents, ConnectEvents> connecting = new IdentityHashMap<>();

    protected LoopWrapper(StreamLoop inner) {
        this.inner = inner;
    }

    /** Wraps a new stream that this side has opened or accepted. */
    protected abstract StreamWrapper wrap(ByteStream stream, boolean initiator);

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        inner.connect(local, remote, wrapped(events));
    }

    @Override
    public void adoptOffering(ByteStream stream, ConnectEvents events) {
        inner.adoptOffering(stream, wrapped(events));
    }

    private ConnectEvents wrapped(ConnectEvents events) {
        ConnectEvents wrapped = new ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                connecting.remove(events);
                events.onConnected(wrap(stream, true));
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                connecting.remove(events);
                events.onConnectFailed(refused, sentence);
            }
        };
        connecting.put(events, wrapped);
        return wrapped;
    }

    @Override
    public void giveUpConnecting(ConnectEvents events) {
        ConnectEvents wrapped = connecting.remove(events);
        if (wrapped != null) {
            inner.giveUpConnecting(wrapped);
        }
    }

    @Override
    public ByteStream adopt(ByteStream stream, boolean initiator) {
        return wrap(inner.adopt(stream, initiator), initiator);
    }

    @Override
    public Optional<ByteStream> adoptBegun(ByteStream stream, byte[] first) {
        return inner.adoptBegun(stream, first).map(begun -> wrap(begun, false));
    }

    @Override
    public ByteStream handBack(ByteStream stream) {
        StreamWrapper wrapper = (StreamWrapper) stream;
        wrapper.handedBack();
        return inner.handBack(wrapper.inner());
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
