package io.verbena.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Optional;
import java.util.function.Consumer;

/** Serves one client: sends each message back when all of it has arrived, or counts the bytes of a stream and answers its end. */
final class NettyServer extends ChannelInboundHandlerAdapter {

    private final Consumer<Boolean> polling;
    private Optional<NettyPlan> plan = Optional.empty();
    private Optional<ByteBuf> answer = Optional.empty();
    private long received;
    private long awaited;

    NettyServer(Consumer<Boolean> polling) {
        this.polling = polling;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object data) {
        ByteBuf bytes = (ByteBuf) data;
        try {
            if (plan.isEmpty()) {
                begin(
                        context,
                        NettyPlan.take(bytes)); // the client waits for nothing before it, so that it comes as a whole
            }
            received += bytes.readableBytes();
        } finally {
            bytes.release();
        }
        while (received >= awaited) {
            received -= awaited;
            answer.ifPresent(message -> context.writeAndFlush(message.retainedDuplicate(), context.voidPromise()));
        }
    }

    private void begin(ChannelHandlerContext context, NettyPlan begun) {
        plan = Optional.of(begun);
        polling.accept(begun.polls());
        int answerBytes = begun.echoes() ? begun.messageBytes() : 1;
        awaited = begun.echoes() ? begun.messageBytes() : (long) begun.messages() * begun.messageBytes();
        answer = Optional.of(context.alloc().directBuffer(answerBytes).writeZero(answerBytes));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        polling.accept(false);
        answer.ifPresent(ByteBuf::release);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        cause.printStackTrace();
        context.close();
    }
}
