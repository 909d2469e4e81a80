package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.verbena.fixture.CuttingForwarder;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An echo whose connection is reset again and again: no channel becomes inactive, no handler sees an exception. */
class SurvivingEchoTest {

    private static final int WAIT_S = 60;
    private static final int MESSAGES = 300;
    private static final int MESSAGES_PER_CUT = 30;
    private static final int BYTES = 1000;

    /** Returns what has arrived, and reports what must not happen. */
    private abstract static class Handler extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<String> problems;

        Handler(BlockingQueue<String> problems) {
            this.problems = problems;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            problems.add(cause.toString());
        }
    }

    @Test
    void cutInTheMiddle_everythingIsEchoed() throws Exception {
        StreamNetwork network = StreamNetwork.open(
                RnicOptions.defaults().withProvider("iwarp"),
                StreamOptions.defaults().surviving());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory(network));
        BlockingQueue<String> problems = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> numbers = new LinkedBlockingQueue<>();
        try {
            Channel server = server(group, problems);
            try (CuttingForwarder forwarder =
                    new CuttingForwarder("127.0.0.1", (InetSocketAddress) server.localAddress())) {
                Channel client = client(group, forwarder.address(), problems, numbers);
                for (int i = 0; i < MESSAGES; i++) {
                    client.writeAndFlush(message(i)).sync();
                    if (i % MESSAGES_PER_CUT == 0) {
                        forwarder.cut();
                    }
                }
                for (int i = 0; i < MESSAGES; i++) {
                    assertEquals(
                            i,
                            Objects.requireNonNull(
                                    numbers.poll(WAIT_S, TimeUnit.SECONDS), () -> "no echo, " + problems));
                }
                assertTrue(client.isActive());
                assertTrue(forwarder.accepted() > 1, "another transport was used");
                client.close().sync();
            }
            server.close().sync();
            assertTrue(problems.isEmpty(), problems::toString);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
            network.close();
        }
    }

    private static ByteBuf message(int number) {
        byte[] bytes = new byte[BYTES];
        ByteBuf message = Unpooled.wrappedBuffer(bytes);
        message.setInt(0, number);
        return message;
    }

    private static Channel server(EventLoopGroup group, BlockingQueue<String> problems) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(VerbenaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Handler(problems) {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                context.writeAndFlush(message);
                            }
                        });
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    private static Channel client(
            EventLoopGroup group,
            InetSocketAddress server,
            BlockingQueue<String> problems,
            BlockingQueue<Integer> numbers)
            throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(VerbenaSocketChannel.class)
                .handler(new Handler(problems) {
                    private final ByteBuf arrived = Unpooled.buffer();

                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf bytes = (ByteBuf) message;
                        arrived.writeBytes(bytes);
                        bytes.release();
                        while (arrived.readableBytes() >= BYTES) {
                            numbers.add(arrived.getInt(arrived.readerIndex()));
                            arrived.skipBytes(BYTES);
                        }
                        arrived.discardReadBytes();
                    }
                })
                .connect(server)
                .sync()
                .channel();
    }
}
