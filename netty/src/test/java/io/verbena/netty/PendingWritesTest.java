package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.verbena.sockets.stream.StreamSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of writes that wait for space, compared with the NIO transport of Netty. */
class PendingWritesTest {

    private static final int WAIT_S = 20;
    private static final int MORE_THAN_FITS = 64 << 20;

    @ParameterizedTest
    @CsvSource({
        "shm, close",
        "shm, disconnect",
        "shm, shutdownOutput",
        "shm, shutdown",
        "shm, peerResets",
        "iwarp, close",
        "iwarp, shutdownOutput",
        "iwarp, shutdown",
        "iwarp, peerResets"
    })
    void pendingWrite_endsAsOverNio(String provider, String change) throws Exception {
        String expected;
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            expected = outcome(nio, NioServerSocketChannel.class, NioSocketChannel.class, change);
        } finally {
            nio.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        }
        try (Loops loops = new Loops(provider)) {
            assertEquals(
                    expected,
                    outcome(loops.group, VerbenaServerSocketChannel.class, VerbenaSocketChannel.class, change));
        }
    }

    private static String outcome(
            EventLoopGroup group,
            Class<? extends ServerSocketChannel> servers,
            Class<? extends SocketChannel> clients,
            String change)
            throws Exception {
        BlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
        ServerSocketChannel server = (ServerSocketChannel) new ServerBootstrap()
                .group(group)
                .channel(servers)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        accepted.add((SocketChannel) context.channel());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        SocketChannel client = (SocketChannel) new Bootstrap()
                .group(group)
                .channel(clients)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(server.localAddress())
                .sync()
                .channel();
        SocketChannel peer = Objects.requireNonNull(accepted.poll(WAIT_S, TimeUnit.SECONDS));
        ChannelFuture pending = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[MORE_THAN_FITS]));
        client.eventLoop().submit(() -> assertFalse(pending.isDone())).sync();
        change(client, peer, change);
        assertTrue(pending.await(WAIT_S, TimeUnit.SECONDS), change + " does not end the write");
        assertFalse(client.eventLoop()
                .submit(() -> client.isOpen()
                        && client instanceof VerbenaSocketChannel ours
                        && ours.waitsFor(StreamSocket.WRITABLE))
                .get());
        String outcome = pending.cause().getClass() + " open " + client.isOpen() + " active " + client.isActive();
        client.close().sync();
        peer.close().sync();
        server.close().sync();
        return outcome;
    }

    private static void change(SocketChannel client, SocketChannel peer, String change) throws Exception {
        ChannelFuture changed = switch (change) {
            case "close" -> client.close();
            case "disconnect" -> client.disconnect();
            case "shutdownOutput" -> client.shutdownOutput();
            case "shutdown" -> client.shutdown();
            default -> {
                peer.config().setSoLinger(0);
                yield peer.close();
            }
        };
        assertTrue(changed.await(WAIT_S, TimeUnit.SECONDS), change + " does not end");
    }
}
