package io.verbena.netty;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A server channel over a {@link StreamListener}. Its children are {@link VerbenaSocketChannel}s. */
public final class VerbenaServerSocketChannel extends VerbenaChannel implements ServerSocketChannel {

    private final VerbenaServerSocketChannelConfig config = new VerbenaServerSocketChannelConfig(this);
    private volatile @Nullable StreamListener listener;

    public VerbenaServerSocketChannel() {
        super(null);
    }

    @Override
    public ServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return isOpen() && listener != null;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        StreamListener bound = listener;
        return bound == null ? null : bound.localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        StreamListener bound = network().listen(VerbenaSocketChannel.resolved(local), config.getBacklog());
        listener = bound;
        bound.onReady(signal());
    }

    @Override
    protected void doClose() throws Exception {
        super.doClose();
        StreamListener bound = listener;
        if (bound != null) {
            bound.close();
        }
    }

    @Override
    void signalTo(Runnable newSignal) {
        StreamListener bound = listener;
        if (bound != null) {
            bound.onReady(newSignal);
        }
    }

    @Override
    int readiness() {
        StreamListener bound = listener;
        return bound != null && bound.ready() ? StreamSocket.READABLE : 0;
    }

    /** Accepts connections, as many as the allocator of receive buffers says. */
    @Override
    void onReady(SocketReadiness ready) {
        ChannelConfig settings = config();
        ChannelPipeline pipeline = pipeline();
        RecvByteBufAllocator.Handle reads = unsafe().recvBufAllocHandle();
        reads.reset(settings);
        reads.attemptedBytesRead(1);
        try {
            do {
                Optional<StreamSocket> accepted = accept();
                if (accepted.isEmpty()) {
                    break;
                }
                reads.lastBytesRead(1);
                reads.incMessagesRead(1);
                hasRead();
                pipeline.fireChannelRead(new VerbenaSocketChannel(this, network(), accepted.get()));
            } while (reads.continueReading());
            reads.readComplete();
            pipeline.fireChannelReadComplete();
        } finally {
            if (!readWanted()) {
                stopReading();
            }
        }
    }

    private Optional<StreamSocket> accept() {
        StreamListener bound = listener;
        return bound == null || !isOpen() ? Optional.empty() : bound.accept();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        throw new UnsupportedOperationException("A server channel does not write.");
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        throw new UnsupportedOperationException("A server channel does not write.");
    }

    @Override
    protected LoopSide newUnsafe() {
        return new LoopSide() {
            @Override
            public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
                promise.setFailure(new UnsupportedOperationException("A server channel does not connect."));
            }
        };
    }
}
