package io.verbena.bench.side.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Netty's echo: both event loops poll without waiting in the system while it runs; each message is sent back when all of it is there. */
public final class NettyPingPong implements Contestant {

    private static final long LIMIT_S = 60;

    private final int messageBytes;
    private final ByteBuf message;
    private final NettyPair pair;
    private long left;
    private volatile CountDownLatch over = new CountDownLatch(0);

    public NettyPingPong(int messageBytes, int socketBufferBytes) throws InterruptedException {
        this(NettyLoops.EPOLL, messageBytes, socketBufferBytes);
    }

    /** Over a transport of Netty. */
    public NettyPingPong(NettyLoops transport, int messageBytes, int socketBufferBytes) throws InterruptedException {
        this.messageBytes = messageBytes;
        message =
                Unpooled.unreleasableBuffer(Unpooled.directBuffer(messageBytes).writerIndex(messageBytes));
        pair = new NettyPair(transport, new Whole(true), new Whole(false), socketBufferBytes);
    }

    @Override
    public long run(long roundTrips) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        over = end;
        pair.polls = true;
        long beginNs = System.nanoTime();
        pair.client.eventLoop().execute(() -> {
            left = roundTrips;
            send(pair.client.pipeline().lastContext());
        });
        try {
            if (!end.await(LIMIT_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Netty's ping-pong did not end");
            }
            return System.nanoTime() - beginNs;
        } finally {
            pair.polls = false;
        }
    }

    private void send(ChannelHandlerContext context) {
        context.writeAndFlush(message.duplicate(), context.voidPromise());
    }

    /** Counts bytes until a message is whole. */
    private final class Whole extends ChannelInboundHandlerAdapter {
        private final boolean client;
        private int received;

        Whole(boolean client) {
            this.client = client;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object data) {
            ByteBuf bytes = (ByteBuf) data;
            received += bytes.readableBytes();
            bytes.release();
            if (received < messageBytes) {
                return;
            }
            received = 0;
            if (client && --left == 0) {
                over.countDown();
            } else {
                send(context);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        pair.close();
    }
}
