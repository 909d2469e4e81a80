package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels that end where programs do not expect it, and peers that are slow or go away. */
class ChannelFaultsTest {

    private static final int WAIT_S = 20;

    /** Keeps the channels that became active, and echoes. */
    private static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** Where a handler closes its channel. */
    enum Callback {
        ADDED,
        REGISTERED,
        ACTIVE,
        READ,
        READ_COMPLETE,
        WRITABILITY,
        WRITTEN
    }

    /** Closes its channel in one callback, and states when it has become inactive or was never active. */
    private static final class Closing extends ChannelInboundHandlerAdapter {
        private final Callback where;

        Closing(Callback where) {
            this.where = where;
        }

        private void at(Callback now, ChannelHandlerContext context) {
            if (now == where) {
                context.close();
            }
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            at(Callback.ADDED, context);
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            at(Callback.REGISTERED, context);
            context.fireChannelRegistered();
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            at(Callback.ACTIVE, context);
            ByteBuf data = context.alloc().buffer().writeZero(1 << 20);
            context.writeAndFlush(data).addListener(_ -> at(Callback.WRITTEN, context));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            at(Callback.READ, context);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            at(Callback.READ_COMPLETE, context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            at(Callback.WRITABILITY, context);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "auto,ADDED",
        "auto,REGISTERED",
        "auto,ACTIVE",
        "auto,READ",
        "auto,READ_COMPLETE",
        "auto,WRITABILITY",
        "auto,WRITTEN",
        "iwarp,ADDED",
        "iwarp,REGISTERED",
        "iwarp,ACTIVE",
        "iwarp,READ",
        "iwarp,READ_COMPLETE",
        "iwarp,WRITABILITY",
        "iwarp,WRITTEN"
    })
    void clientAndServer_closeInACallback_leaveNoSocket(String provider, Callback where) throws Exception {
        try (Loops loops = new Loops(provider)) {
            Channel server =
                    loops.server(() -> new Closing(where)).bind().sync().channel();
            Channel echo = loops.server(Echo::new).bind().sync().channel();
            ChannelFuture toClosing = loops.client(Echo::new).connect(server.localAddress());
            ChannelFuture closing = loops.client(() -> new Closing(where)).connect(echo.localAddress());
            assertTrue(closing.channel().closeFuture().await(WAIT_S, TimeUnit.SECONDS), "closes itself");
            assertTrue(toClosing.channel().closeFuture().await(WAIT_S, TimeUnit.SECONDS), "sees that its peer closes");
            server.close().sync();
            echo.close().sync();
            assertTrue(
                    loops.network.awaitEmpty(Duration.ofSeconds(WAIT_S)),
                    () -> loops.network.sockets().toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void peerThatDoesNotRead_makesTheChannelUnwritable_untilItReads(String provider) throws Exception {
        BlockingQueue<Boolean> writability = new LinkedBlockingQueue<>();
        try (Loops loops = new Loops(provider)) {
            Channel server = loops.server(() -> new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelActive(ChannelHandlerContext context) {
                            ByteBuf data = context.alloc().buffer().writeZero(1 << 22);
                            context.writeAndFlush(data);
                        }

                        @Override
                        public void channelWritabilityChanged(ChannelHandlerContext context) {
                            writability.add(context.channel().isWritable());
                        }
                    })
                    .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 15, 1 << 16))
                    .bind()
                    .sync()
                    .channel();
            try (StreamSocket peer = loops.network.connect(server.localAddress())) {
                assertEquals(Boolean.FALSE, writability.poll(WAIT_S, TimeUnit.SECONDS));
                assertEquals(null, writability.poll(), "the peer has read nothing");
                ByteBuffer target = ByteBuffer.allocate(1 << 22);
                while (target.hasRemaining()) {
                    assertTrue(peer.awaitReady(StreamSocket.READABLE, TimeUnit.SECONDS.toNanos(WAIT_S)));
                    assertFalse(peer.read(target) < 0);
                }
                assertEquals(Boolean.TRUE, writability.poll(WAIT_S, TimeUnit.SECONDS));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void eventLoops_shutDownWithChannelsOpen_closeThemAndFailTheirWrites(String provider) throws Exception {
        try (Loops loops = new Loops(provider)) {
            Channel server = loops.server(ChannelInboundHandlerAdapter::new)
                    .childOption(ChannelOption.AUTO_READ, false)
                    .bind()
                    .sync()
                    .channel();
            List<Channel> clients = new ArrayList<>();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Channel client = loops.client(Echo::new)
                        .connect(server.localAddress())
                        .sync()
                        .channel();
                clients.add(client);
                writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1 << 22])));
            }
            assertTrue(loops.shutDown());
            clients.forEach(client -> assertFalse(client.isOpen()));
            assertFalse(server.isOpen());
            for (ChannelFuture write : writes) {
                assertTrue(write.await(WAIT_S, TimeUnit.SECONDS));
                assertFalse(write.isSuccess(), "the server has read nothing");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void peer_resets_channelGetsAnIoExceptionAndCloses_alsoWithoutReading(String provider) throws Exception {
        CompletableFuture<Throwable> caught = new CompletableFuture<>();
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        try (Loops loops = new Loops(provider)) {
            Channel server = loops.server(() -> new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelActive(ChannelHandlerContext context) {
                            accepted.complete(context.channel());
                        }

                        @Override
                        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                            caught.complete(cause);
                        }
                    })
                    .childOption(ChannelOption.AUTO_READ, false)
                    .bind()
                    .sync()
                    .channel();
            StreamSocket peer = loops.network.connect(server.localAddress());
            Channel channel = accepted.get(WAIT_S, TimeUnit.SECONDS);
            peer.abort();
            assertInstanceOf(IOException.class, caught.get(WAIT_S, TimeUnit.SECONDS));
            assertTrue(channel.closeFuture().await(WAIT_S, TimeUnit.SECONDS));
        }
    }

    @Test
    void connect_toAPeerThatDoesNotAnswer_canBeCancelled() throws Exception {
        try (Loops loops = new Loops("iwarp");
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ChannelFuture connect = loops.client(Echo::new)
                    .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort()));
            assertFalse(connect.await(100));
            assertTrue(connect.cancel(true));
            assertTrue(connect.channel().closeFuture().await(WAIT_S, TimeUnit.SECONDS));
            assertTrue(loops.network.awaitEmpty(Duration.ofSeconds(WAIT_S)));
        }
    }

    @Test
    void channel_ofAnotherNetwork_isRefusedWithAReason() throws Exception {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        try (Loops loops = new Loops("auto");
                Loops others = new Loops("auto")) {
            Channel server = loops.server(Echo::new).bind().sync().channel();
            loops.network.connect(server.localAddress());
            VerbenaSocketChannel child = new VerbenaSocketChannel(
                    (VerbenaServerSocketChannel) server, loops.network, loops.network.connect(server.localAddress()));
            others.group.register(child).addListener(done -> refused.complete(done.cause()));
            Throwable cause = refused.get(WAIT_S, TimeUnit.SECONDS);
            assertInstanceOf(IllegalStateException.class, cause);
            assertTrue(cause.toString().contains("IoHandlerFactory"), cause::toString);
        }
    }

    @Test
    void write_afterClose_failsAtOnce() throws Exception {
        try (Loops loops = new Loops("auto")) {
            Channel server = loops.server(Echo::new).bind().sync().channel();
            Channel client = loops.client(Echo::new)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.close().sync();
            ChannelFuture write =
                    client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).await();
            assertInstanceOf(ClosedChannelException.class, write.cause());
        }
    }
}
