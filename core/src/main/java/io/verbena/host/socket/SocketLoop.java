package io.verbena.host.socket;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.HotStreams;
import io.verbena.host.system.SystemChannels;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The sockets of one engine: a selector, and a few hot streams that are read without it (see {@link HotStreams}). The
 * thread that drives the engine calls {@link #poll} repeatedly, or {@link #select} when it has nothing else to do.
 * Neither allocates.
 *
 * <p>Cancelling a key of a selector is slow: the file descriptor of a channel is not closed, and the channel cannot be
 * registered again, until a later select has processed the cancelled key. So the key of a detached stream is kept for
 * the rest of the round without interest, and is cancelled just before the next select unless the stream was attached
 * again.
 */
public final class SocketLoop extends EngineLoop {

    /** Longest wait for the release of a channel: longer than an owner of an INLINE engine leaves it alone. */
    private static final long RELEASE_NS = 300_000_000;

    private static final long RELEASE_LOOK_NS = 50_000;

    private final Selector selector;
    private final int socketBufferBytes;
    private final Consumer<SelectionKey> onReady = this::onReady;
    private final List<SelectionKey> loose = new ArrayList<>();
    private final List<SocketAcceptor> paused = new ArrayList<>();

    /** Attached streams whose channels belong to applications. */
    private final List<SocketStream> borrowed = new ArrayList<>();

    /** Whether a stream may have been closed since the last {@link #completeClosing}. */
    private boolean closing;

    /** Selects that have ended. */
    private final AtomicLong selects = new AtomicLong();

    /** Creates a loop whose sockets request buffers of this size; 0 leaves it to the system. */
    public SocketLoop(int socketBufferBytes) throws IOException {
        this.selector = SystemChannels.provider().openSelector();
        this.socketBufferBytes = socketBufferBytes;
    }

    // The round.

    @Override
    public long finestWaitNs() {
        return NS_PER_MS;
    }

    @Override
    public void ask(long timeoutNs) {
        long mostMs = prepare(timeoutNs / NS_PER_MS);
        try {
            if (mostMs > 0) {
                selector.select(onReady, mostMs);
            } else {
                selector.selectNow(onReady);
            }
            selects.getAndIncrement();
        } catch (IOException e) {
            throw new UncheckedIOException("the selector failed", e);
        }
        for (int i = borrowed.size() - 1; i >= 0; i--) {
            if (borrowed.get(i).takenAway()) {
                tellReadable(borrowed.remove(i)); // reading reports it
            }
        }
    }

    /**
     * The selector closes the descriptor of a closed channel in its next select. Until then the peer of a reset connection
     * learns nothing.
     */
    @Override
    public void completeClosing() {
        if (!closing) {
            return;
        }
        closing = false;
        try {
            if (selector.isOpen()) {
                selector.selectNow(); // what is ready is selected again in the next round
                selects.getAndIncrement();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the selector failed", e);
        }
    }

    /** Cancels unused keys and resumes paused acceptors. Returns the maximum time that a select may wait. */
    private long prepare(long timeoutMs) {
        if (!loose.isEmpty()) {
            for (int i = 0; i < loose.size(); i++) {
                SelectionKey key = loose.get(i);
                if (key.attachment() == null) {
                    key.cancel();
                }
            }
            loose.clear();
        }
        if (paused.isEmpty()) {
            return timeoutMs;
        }
        long nowNs = System.nanoTime();
        paused.removeIf(acceptor -> acceptor.resume(nowNs));
        return paused.isEmpty() ? timeoutMs : Math.min(timeoutMs, SocketAcceptor.PAUSE_MS);
    }

    private void onReady(SelectionKey key) {
        if (!key.isValid()) {
            return; // an event of another channel has closed this one
        }
        Object what = key.attachment();
        if (what instanceof SocketStream stream) {
            onReady(stream, readyOps(key));
        } else if (what instanceof SocketAcceptor acceptor) {
            reported(acceptor.accept());
        } else if (what instanceof SocketConnector connector) {
            reported(1);
            connector.finish(key);
        } else if (what instanceof ChannelUdpPort port) {
            port.onReady(key);
        }
    }

    // An application may close its channel, and thereby cancel the key, at any moment. The next round reports that.

    static void interest(SelectionKey key, int operations) {
        try {
            if (key.isValid()) {
                key.interestOps(operations);
            }
        } catch (CancelledKeyException e) {
            // see above
        }
    }

    private static int readyOps(SelectionKey key) {
        try {
            return key.readyOps();
        } catch (CancelledKeyException e) {
            return 0; // see above
        }
    }

    private void onReady(SocketStream stream, int operations) {
        StreamEvents events = stream.events;
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            tellWritable(stream);
        }
        if ((operations & SelectionKey.OP_READ) != 0 && stream.events == events) {
            tellReadable(stream);
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    /** Makes the selector process closed and cancelled channels now, if this thread may do so; otherwise soon. */
    void flush() {
        if (!selector.isOpen()) {
            return;
        }
        if (!owned() || !hold()) {
            selector.wakeup();
            return;
        }
        try {
            if (!asking()) {
                askNow(0);
            }
        } finally {
            letGo();
        }
    }

    /**
     * Waits until the selector has released a closed channel, which the thread that drives the selector makes it do soon. Before
     * that the system has not closed the socket.
     */
    void awaitReleased(SelectableChannel closed) {
        if (owned()) {
            return; // it is released, or will be at the end of the select that this thread is in
        }
        long startNs = System.nanoTime();
        // A select closes the sockets of channels that it has found to be closed before it ends.
        long seen = selects.get();
        boolean found = !closed.isRegistered();
        while ((!found || selects.get() == seen) && selector.isOpen() && System.nanoTime() - startNs < RELEASE_NS) {
            LockSupport.parkNanos(this, RELEASE_LOOK_NS);
            selector.wakeup();
            if (!found && !closed.isRegistered()) {
                found = true;
                seen = selects.get();
            }
        }
    }

    Selector selector() {
        return selector;
    }

    // Streams.

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        SocketStream socket = (SocketStream) stream;
        if (socket.loop != null && socket.loop != this) {
            throw new IllegalStateException(socket + " is attached to another engine: detach it there first");
        }
        socket.loop = this;
        socket.events = events;
        socket.reportedRound = -1;
        socket.interest(SelectionKey.OP_READ);
        if (socket.borrowed()) {
            borrowed.add(socket);
        }
        SelectionKey key = socket.channel().keyFor(selector);
        if (key != null && key.isValid()) {
            key.attach(socket);
            interest(key, SelectionKey.OP_READ);
        } else {
            try {
                key = socket.channel().register(selector, SelectionKey.OP_READ, socket);
            } catch (ClosedChannelException e) {
                if (!socket.takenAway()) {
                    throw new IllegalStateException(socket + " is closed", e);
                }
            }
        }
        socket.key = key;
        askSoon();
    }

    @Override
    public void detach(ByteStream stream) {
        SocketStream socket = (SocketStream) stream;
        if (socket.loop != this) {
            return;
        }
        cool(socket);
        borrowed.remove(socket);
        SelectionKey key = socket.key;
        socket.loop = null;
        socket.events = null;
        socket.key = null;
        if (key != null && key.isValid()) {
            interest(key, 0);
            loosen(key);
        }
    }

    /** A key that is given up unless its channel is attached before the next select. */
    void loosen(SelectionKey key) {
        key.attach(null);
        loose.add(key);
        closing = true;
        askSoon();
    }

    /**
     * A stream of this loop is about to be closed: the selector must process it soon, because that closes the
     * descriptor.
     */
    void closing(SocketStream stream) {
        cool(stream);
        stream.events = null;
        stream.key = null;
        closing = true;
        askSoon();
    }

    // Packets.

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        return ChannelUdpPort.open(this, local, events);
    }

    // Connections.

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        new SocketConnector(this, local, remote, events).start(selector);
    }

    @Override
    public ByteStream handBack(ByteStream stream) {
        assert !asking() : "a stream is returned while its selector is in use";
        SelectionKey key = ((SocketStream) stream).channel().keyFor(selector);
        if (key != null) {
            key.cancel();
            // Only a select removes the key from the channel; before that its blocking mode cannot be changed.
            askNow(0);
        }
        return stream;
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        SocketAcceptor acceptor = new SocketAcceptor(this, local, backlog, socketBufferBytes, events);
        acceptor.register(selector);
        flush();
        return acceptor;
    }

    /** An acceptor cannot accept for a while. */
    void pause(SocketAcceptor acceptor) {
        paused.add(acceptor);
    }

    /** Sets the buffers of a socket that is not connected yet, or was just accepted. */
    void size(SocketChannel channel) throws IOException {
        if (socketBufferBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, socketBufferBytes);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, socketBufferBytes);
        }
    }

    /** Closes the selector and every socket registered with it. The loop must not be driven any more. */
    @Override
    public void close() throws IOException {
        if (!selector.isOpen()) {
            return;
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
