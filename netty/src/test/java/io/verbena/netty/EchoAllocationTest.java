package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An echo allocates no byte more than over Netty's own transport, with the same handlers in the same event loop. Until the code is
 * compiled it may: what counts is the best of many parts.
 */
class EchoAllocationTest {

    private static final int PARTS = 40;
    private static final int ECHOES = 10_000;

    /** Netty's own transport allocates about as much from the first part on. */
    private static final int PARTS_OF_NETTY = 3;

    private static final int MESSAGE_BYTES = 64;

    private static long netty;

    /** Sends each message back, until its thread has allocated few bytes in a part of the messages, or for all parts. */
    private static final class Player extends ChannelInboundHandlerAdapter {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final CompletableFuture<Long> result = new CompletableFuture<>();
        private final int parts;
        private final long enoughBytes;
        private long leastBytes = Long.MAX_VALUE;
        private long before;
        private int received;

        Player(int parts, long enoughBytes) {
            this.parts = parts;
            this.enoughBytes = enoughBytes;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (received++ % ECHOES == 0) {
                endPart();
                before = threads.getCurrentThreadAllocatedBytes();
            }
            context.writeAndFlush(message, context.voidPromise());
        }

        private void endPart() {
            if (received > 1) {
                leastBytes = Math.min(leastBytes, threads.getCurrentThreadAllocatedBytes() - before);
            }
            if (leastBytes <= enoughBytes || received > parts * ECHOES) {
                result.complete(leastBytes);
            }
        }
    }

    private record Types(Class<? extends ServerChannel> server, Class<? extends Channel> client) {}

    private static long allocatedBytes(IoHandlerFactory io, Types types, int parts, long enoughBytes) throws Exception {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, io);
        try {
            Channel server = new ServerBootstrap()
                    .group(loop)
                    .channel(types.server)
                    .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            context.writeAndFlush(message, context.voidPromise());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            Player player = new Player(parts, enoughBytes);
            Channel client = new Bootstrap()
                    .group(loop)
                    .channel(types.client)
                    .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                    .handler(player)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(client.alloc().directBuffer().writeZero(MESSAGE_BYTES));
            return player.result.get(240, TimeUnit.SECONDS);
        } finally {
            loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    @BeforeAll
    static void measureNettysOwn() throws Exception {
        netty = allocatedBytes(
                NioIoHandler.newFactory(),
                new Types(NioServerSocketChannel.class, NioSocketChannel.class),
                PARTS_OF_NETTY,
                0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void echo_allocatesNoByteBeyondNettysOwn(String provider) throws Exception {
        try (StreamNetwork network =
                StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults())) {
            long ours = allocatedBytes(
                    VerbenaIoHandler.newFactory(network),
                    new Types(VerbenaServerSocketChannel.class, VerbenaSocketChannel.class),
                    PARTS,
                    netty + ECHOES - 1);
            double beyond = (double) (ours - netty) / ECHOES;
            assertTrue(beyond < 1, () -> beyond + " bytes per echo beyond the " + netty / ECHOES + " of Netty");
        }
    }
}
