package io.verbena.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import io.verbena.sockets.stream.StreamOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a server channel. {@code SO_BACKLOG} has an effect; the others that TCP has are kept and returned only. */
final class VerbenaServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {

    private final VerbenaServerSocketChannel of;
    private final KeptOptions kept = new KeptOptions(Map.of(
            ChannelOption.SO_BACKLOG,
            NetUtil.SOMAXCONN,
            ChannelOption.SO_REUSEADDR,
            false,
            ChannelOption.SO_RCVBUF,
            StreamOptions.defaults().mostBufferBytes()));

    VerbenaServerSocketChannelConfig(VerbenaServerSocketChannel of) {
        super(of);
        this.of = of;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), kept.options());
    }

    @Override
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        return kept.has(option) ? kept.value(option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (!kept.has(option)) {
            return super.setOption(option, value);
        }
        validate(option, value);
        kept.set(option, value);
        return true;
    }

    @Override
    protected void autoReadCleared() {
        of.onAutoReadCleared();
    }

    @Override
    public int getBacklog() {
        return kept.value(ChannelOption.SO_BACKLOG);
    }

    @Override
    public VerbenaServerSocketChannelConfig setBacklog(int value) {
        kept.set(ChannelOption.SO_BACKLOG, value);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return kept.value(ChannelOption.SO_REUSEADDR);
    }

    @Override
    public VerbenaServerSocketChannelConfig setReuseAddress(boolean value) {
        kept.set(ChannelOption.SO_REUSEADDR, value);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return kept.value(ChannelOption.SO_RCVBUF);
    }

    @Override
    public VerbenaServerSocketChannelConfig setReceiveBufferSize(int value) {
        kept.set(ChannelOption.SO_RCVBUF, value);
        return this;
    }

    /** There is nothing to prefer: the connection is not one of TCP. */
    @Override
    public VerbenaServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    // The types that Netty's interface wants.

    @Override
    public VerbenaServerSocketChannelConfig setConnectTimeoutMillis(int value) {
        super.setConnectTimeoutMillis(value);
        return this;
    }

    @Override
    @Deprecated
    public VerbenaServerSocketChannelConfig setMaxMessagesPerRead(int value) {
        super.setMaxMessagesPerRead(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setWriteSpinCount(int value) {
        super.setWriteSpinCount(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setAllocator(ByteBufAllocator value) {
        super.setAllocator(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator value) {
        super.setRecvByteBufAllocator(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setAutoRead(boolean value) {
        super.setAutoRead(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setAutoClose(boolean value) {
        super.setAutoClose(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator value) {
        super.setMessageSizeEstimator(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark value) {
        super.setWriteBufferWaterMark(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setWriteBufferHighWaterMark(int value) {
        super.setWriteBufferHighWaterMark(value);
        return this;
    }

    @Override
    public VerbenaServerSocketChannelConfig setWriteBufferLowWaterMark(int value) {
        super.setWriteBufferLowWaterMark(value);
        return this;
    }
}
