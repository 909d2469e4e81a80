package io.verbena.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.verbena.sockets.stream.StreamFigures;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A channel over a {@link StreamSocket}. */
public final class VerbenaSocketChannel extends VerbenaChannel implements SocketChannel {

    private final VerbenaSocketChannelConfig config = new VerbenaSocketChannelConfig(this);
    private final ChannelReader reader = new ChannelReader(this);
    private final ChannelWriter writer = new ChannelWriter(this);

    /** Runs a flush after the other work of the loop, when one write has taken its share. */
    private final Runnable flushLater = this::flushNow;

    private volatile @Nullable StreamSocket socket;
    private volatile @Nullable SocketAddress bound;
    private volatile boolean active;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;
    private Optional<PendingConnect> connecting = Optional.empty();

    public VerbenaSocketChannel() {
        super(null);
    }

    /** A connection that a server channel has accepted. */
    VerbenaSocketChannel(VerbenaServerSocketChannel parent, StreamNetwork network, StreamSocket accepted) {
        super(parent);
        belongsTo(network);
        socket = accepted;
        active = true;
    }

    @Override
    public @Nullable ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public SocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return active && isOpen();
    }

    /** What the connection has carried until now; empty before the channel connects. */
    public Optional<StreamFigures> figures() {
        return Optional.ofNullable(socket).map(StreamSocket::figures);
    }

    // Addresses.

    static InetSocketAddress resolved(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return inet;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        StreamSocket currentSocket = socket;
        return currentSocket == null ? bound : currentSocket.localAddress().orElse(bound);
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        StreamSocket currentSocket = socket;
        return currentSocket == null || !active
                ? null
                : currentSocket.remoteAddress().orElse(null);
    }

    /** Only kept: the connection has the address. */
    @Override
    protected void doBind(SocketAddress local) {
        bound = resolved(local);
    }

    // Connecting.

    void startConnect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
        if (connecting.isPresent()) {
            throw new ConnectionPendingException();
        }
        if (socket != null) {
            throw new AlreadyConnectedException();
        }
        if (local != null) {
            doBind(local);
        }
        InetSocketAddress peer = resolved(remote);
        StreamSocket started = network().startConnect(peer, Optional.ofNullable(bound));
        socket = started;
        connecting = Optional.of(new PendingConnect(this, peer, promise));
        started.onReady(signal());
        waitFor(StreamSocket.CONNECTED);
    }

    private void finishConnect(PendingConnect pending) {
        try {
            if (!socket().finishConnect()) {
                return;
            }
        } catch (IOException e) {
            connecting = Optional.empty();
            waitNoLongerFor(StreamSocket.CONNECTED);
            pending.fail(e);
            unsafe().close(voidPromise());
            return;
        }
        connecting = Optional.empty();
        waitNoLongerFor(StreamSocket.CONNECTED);
        active = true;
        boolean wanted = pending.succeed();
        pipeline().fireChannelActive(); // also if a listener of the promise has closed the channel: its end is reported
        // later
        if (!wanted) {
            unsafe().close(voidPromise());
        }
    }

    // Events.

    @Override
    void signalTo(Runnable newSignal) {
        StreamSocket currentSocket = socket;
        if (currentSocket != null) {
            currentSocket.onReady(newSignal);
        }
    }

    @Override
    int readiness() {
        StreamSocket currentSocket = socket;
        int ready = currentSocket == null ? 0 : currentSocket.ready();
        boolean unread = (ready & StreamSocket.READABLE) != 0 && !waitsFor(StreamSocket.READABLE);
        return unread && active && !reader.over() && socket().available() == 0 ? ready | SocketReadiness.ENDED : ready;
    }

    @Override
    void onReady(SocketReadiness ready) {
        if (ready.has(StreamSocket.CONNECTED)) {
            connecting.ifPresent(this::finishConnect);
        }
        if (ready.has(StreamSocket.WRITABLE) && waitsFor(StreamSocket.WRITABLE)) {
            flushNow();
        }
        boolean reads = ready.has(StreamSocket.READABLE) && waitsFor(StreamSocket.READABLE);
        if ((reads || ready.has(SocketReadiness.ENDED)) && isOpen()) {
            reader.read();
        }
    }

    /** The socket, which exists once the channel has begun to connect. */
    StreamSocket socket() {
        StreamSocket currentSocket = socket;
        if (currentSocket == null) {
            throw new NotYetConnectedException();
        }
        return currentSocket;
    }

    // Writing.

    private void flushNow() {
        ((SocketLoopSide) unsafe()).flushNow();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        switch (writer.write(in, config.getWriteSpinCount())) {
            case DONE -> waitNoLongerFor(StreamSocket.WRITABLE);
            case NO_SPACE -> waitFor(StreamSocket.WRITABLE);
            case MORE -> {
                waitNoLongerFor(StreamSocket.WRITABLE);
                eventLoop().execute(flushLater);
            }
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("A channel writes ByteBuf and FileRegion, not "
                + message.getClass().getName() + ".");
    }

    // Half-closure.

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    boolean inputEnded() {
        return inputShutdown;
    }

    void onInputEnd() {
        inputShutdown = true;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            try {
                shutdownInputNow();
                promise.setSuccess();
            } catch (IOException | RuntimeException e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    private void shutdownInputNow() throws IOException {
        requireActive();
        socket().shutdownInput();
        inputShutdown = true;
    }

    private void requireActive() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (!active) {
            throw new NotYetConnectedException();
        }
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inLoop(() -> ((SocketLoopSide) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        requireActive();
        waitNoLongerFor(StreamSocket.WRITABLE); // Netty fails the writes that wait
        socket().shutdownOutput();
        outputShutdown = true;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    /** Both directions are ended, whatever happens to the first one; the promise has the first failure. */
    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput()
                .addListener(output -> shutdownInput().addListener(input -> {
                    Throwable cause = output.cause() == null ? input.cause() : output.cause();
                    if (cause == null) {
                        promise.setSuccess();
                    } else {
                        promise.setFailure(cause);
                    }
                }));
        return promise;
    }

    private void inLoop(Runnable work) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            work.run();
        } else {
            loop.execute(work);
        }
    }

    // The end.

    /**
     * Returns at once: what was written is sent in the background. With {@code SO_LINGER} 0 the rest is dropped, and the peer reads
     * "Connection reset".
     */
    @Override
    protected void doClose() throws Exception {
        active = false;
        connecting.ifPresent(PendingConnect::onClose);
        connecting = Optional.empty();
        super.doClose();
        StreamSocket last = socket;
        if (last == null) {
            return;
        }
        if (config.getSoLinger() == 0) {
            last.abort();
        } else {
            last.close();
        }
    }

    void onConnectCancelled() {
        connecting = Optional.empty();
        unsafe().close(voidPromise());
    }

    @Override
    protected LoopSide newUnsafe() {
        return new SocketLoopSide();
    }

    private final class SocketLoopSide extends LoopSide {

        /** A connection attempt can be cancelled by its promise until it has succeeded. */
        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                startConnect(remote, local, promise);
            } catch (RuntimeException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        /** While the socket has no space, its readiness starts the flush. */
        @Override
        protected void flush0() {
            if (!waitsFor(StreamSocket.WRITABLE)) {
                super.flush0();
            }
        }

        void flushNow() {
            super.flush0();
        }

        Throwable annotated(Throwable cause, SocketAddress remote) {
            return annotateConnectException(cause, remote);
        }
    }

    Throwable annotated(Throwable cause, SocketAddress remote) {
        return ((SocketLoopSide) unsafe()).annotated(cause, remote);
    }
}
