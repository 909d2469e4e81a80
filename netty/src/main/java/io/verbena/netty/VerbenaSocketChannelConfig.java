package io.verbena.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.verbena.sockets.stream.StreamOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a channel. {@code SO_LINGER} 0 and {@code ALLOW_HALF_CLOSURE} have an effect; the others that TCP has are kept and
 * returned only, because the verbs have no such settings.
 */
final class VerbenaSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {

    private static final int BUFFER_BYTES = StreamOptions.defaults().mostBufferBytes();

    private final VerbenaSocketChannel of;
    private final KeptOptions kept = new KeptOptions(Map.of(
            ChannelOption.TCP_NODELAY,
            true,
            ChannelOption.SO_LINGER,
            -1,
            ChannelOption.SO_SNDBUF,
            BUFFER_BYTES,
            ChannelOption.SO_RCVBUF,
            BUFFER_BYTES,
            ChannelOption.SO_KEEPALIVE,
            false,
            ChannelOption.IP_TOS,
            0,
            ChannelOption.SO_REUSEADDR,
            false,
            ChannelOption.ALLOW_HALF_CLOSURE,
            false));

    VerbenaSocketChannelConfig(VerbenaSocketChannel of) {
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
    public boolean isTcpNoDelay() {
        return kept.value(ChannelOption.TCP_NODELAY);
    }

    @Override
    public VerbenaSocketChannelConfig setTcpNoDelay(boolean value) {
        kept.set(ChannelOption.TCP_NODELAY, value);
        return this;
    }

    @Override
    public int getSoLinger() {
        return kept.value(ChannelOption.SO_LINGER);
    }

    @Override
    public VerbenaSocketChannelConfig setSoLinger(int value) {
        kept.set(ChannelOption.SO_LINGER, value);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return kept.value(ChannelOption.SO_SNDBUF);
    }

    @Override
    public VerbenaSocketChannelConfig setSendBufferSize(int value) {
        kept.set(ChannelOption.SO_SNDBUF, value);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return kept.value(ChannelOption.SO_RCVBUF);
    }

    @Override
    public VerbenaSocketChannelConfig setReceiveBufferSize(int value) {
        kept.set(ChannelOption.SO_RCVBUF, value);
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return kept.value(ChannelOption.SO_KEEPALIVE);
    }

    @Override
    public VerbenaSocketChannelConfig setKeepAlive(boolean value) {
        kept.set(ChannelOption.SO_KEEPALIVE, value);
        return this;
    }

    @Override
    public int getTrafficClass() {
        return kept.value(ChannelOption.IP_TOS);
    }

    @Override
    public VerbenaSocketChannelConfig setTrafficClass(int value) {
        kept.set(ChannelOption.IP_TOS, value);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return kept.value(ChannelOption.SO_REUSEADDR);
    }

    @Override
    public VerbenaSocketChannelConfig setReuseAddress(boolean value) {
        kept.set(ChannelOption.SO_REUSEADDR, value);
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return kept.value(ChannelOption.ALLOW_HALF_CLOSURE);
    }

    @Override
    public VerbenaSocketChannelConfig setAllowHalfClosure(boolean value) {
        kept.set(ChannelOption.ALLOW_HALF_CLOSURE, value);
        return this;
    }

    /** There is nothing to prefer: the connection is not one of TCP. */
    @Override
    public VerbenaSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    // The types that Netty's interface wants.

    @Override
    public VerbenaSocketChannelConfig setConnectTimeoutMillis(int value) {
        super.setConnectTimeoutMillis(value);
        return this;
    }

    @Override
    @Deprecated
    public VerbenaSocketChannelConfig setMaxMessagesPerRead(int value) {
        super.setMaxMessagesPerRead(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setWriteSpinCount(int value) {
        super.setWriteSpinCount(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setAllocator(ByteBufAllocator value) {
        super.setAllocator(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator value) {
        super.setRecvByteBufAllocator(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setAutoRead(boolean value) {
        super.setAutoRead(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setAutoClose(boolean value) {
        super.setAutoClose(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator value) {
        super.setMessageSizeEstimator(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark value) {
        super.setWriteBufferWaterMark(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setWriteBufferHighWaterMark(int value) {
        super.setWriteBufferHighWaterMark(value);
        return this;
    }

    @Override
    public VerbenaSocketChannelConfig setWriteBufferLowWaterMark(int value) {
        super.setWriteBufferLowWaterMark(value);
        return this;
    }
}
