package io.verbena.bench.side.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Netty one way: messages are written while the channel is writable and flushed together; the other side counts bytes. */
public final class NettyStream implements Contestant {

    private static final long LIMIT_S = 60;

    private final int messageBytes;
    private final ByteBuf message;
    private final NettyPair pair;
    private long left;
    private volatile long awaitedBytes;
    private volatile CountDownLatch arrived = new CountDownLatch(0);

    public NettyStream(int messageBytes, int socketBufferBytes) throws InterruptedException {
        this(NettyLoops.EPOLL, messageBytes, socketBufferBytes);
    }

    /** Over a transport of Netty. */
    public NettyStream(NettyLoops transport, int messageBytes, int socketBufferBytes) throws InterruptedException {
        this.messageBytes = messageBytes;
        message =
                Unpooled.unreleasableBuffer(Unpooled.directBuffer(messageBytes).writerIndex(messageBytes));
        pair = new NettyPair(transport, new Sender(), new Receiver(), socketBufferBytes);
    }

    @Override
    public long run(long messages) throws InterruptedException {
        long beginNs = System.nanoTime();
        CountDownLatch all = new CountDownLatch(1);
        arrived = all;
        awaitedBytes = messages * messageBytes;
        pair.client.eventLoop().execute(() -> {
            left = messages;
            write(pair.client.pipeline().lastContext());
        });
        if (!all.await(LIMIT_S, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Netty's stream did not end");
        }
        return System.nanoTime() - beginNs;
    }

    private void write(ChannelHandlerContext context) {
        if (left == 0) {
            return;
        }
        while (left > 0 && context.channel().isWritable()) {
            context.write(message.duplicate(), context.voidPromise());
            left--;
        }
        context.flush();
        if (left > 0 && context.channel().isWritable()) {
            context.channel().eventLoop().execute(() -> write(context)); // the flush took it all: no event will come
        }
    }

    private final class Sender extends ChannelInboundHandlerAdapter {
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                context.channel().eventLoop().execute(() -> write(context));
            }
        }
    }

    private final class Receiver extends ChannelInboundHandlerAdapter {
        private long received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object data) {
            ByteBuf bytes = (ByteBuf) data;
            received += bytes.readableBytes();
            bytes.release();
            if (received == awaitedBytes) {
                received = 0;
                arrived.countDown();
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        pair.close();
    }
}
