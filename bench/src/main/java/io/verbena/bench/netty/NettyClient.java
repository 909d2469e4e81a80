package io.verbena.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.EOFException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends the messages of a plan: one after the answer to the last one, or as many as the channel takes. Of the event loop. */
final class NettyClient extends ChannelInboundHandlerAdapter {

    private static final long LIMIT_S = 120;

    private final NettyPlan plan;
    private final ByteBuf message;
    private final CompletableFuture<Double> result = new CompletableFuture<>();
    private int sent;
    private int received;
    private long startNs;

    NettyClient(NettyPlan plan) {
        this.plan = plan;
        message = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(plan.messageBytes()).writerIndex(plan.messageBytes()));
    }

    /** Waits for the end; returns the microseconds of a message, of an echo those of half a round trip. */
    double us() throws Exception {
        double ns = result.get(LIMIT_S, TimeUnit.SECONDS);
        return ns / (plan.messages() - plan.unmeasured()) / (plan.echoes() ? 2 : 1) / 1000;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.write(plan.put(context.alloc().directBuffer(NettyPlan.BYTES)), context.voidPromise());
        next(context);
    }

    private void next(ChannelHandlerContext context) {
        if (plan.echoes()) {
            send(context);
            context.flush();
        } else {
            stream(context);
        }
    }

    private void send(ChannelHandlerContext context) {
        if (sent++ == plan.unmeasured()) {
            startNs = System.nanoTime();
        }
        context.write(message.duplicate(), context.voidPromise());
    }

    /** The loop has other work between two flushes; if the flush has not taken everything, the channel reports when it is writable. */
    private void stream(ChannelHandlerContext context) {
        while (sent < plan.messages() && context.channel().isWritable()) {
            send(context);
        }
        context.flush();
        if (sent < plan.messages() && context.channel().isWritable()) {
            context.executor().execute(() -> stream(context));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!plan.echoes() && context.channel().isWritable() && sent < plan.messages()) {
            context.executor().execute(() -> stream(context));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object data) {
        ByteBuf bytes = (ByteBuf) data;
        received += bytes.readableBytes();
        bytes.release();
        if (!plan.echoes() || received == plan.messageBytes()) {
            received = 0;
            if (sent == plan.messages()) {
                result.complete((double) (System.nanoTime() - startNs));
            } else {
                next(context);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        result.completeExceptionally(new EOFException("the server has ended the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        result.completeExceptionally(cause);
    }
}
