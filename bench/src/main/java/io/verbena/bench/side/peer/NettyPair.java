package io.verbena.bench.side.peer;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Two ends of a loopback connection of Netty, an event loop each. */
final class NettyPair implements AutoCloseable {

    private static final int LEAST_READ = 2048;
    private static final int FIRST_READ = 65_536;
    private static final int MOST_READ = 1 << 20;

    /** Whether the loops look again and again instead of waiting in the system: not while others are measured. */
    volatile boolean polls;

    private final MultiThreadIoEventLoopGroup clientLoop;
    private final MultiThreadIoEventLoopGroup serverLoop;
    final Channel client;

    NettyPair(NettyLoops transport, ChannelHandler clientHandler, ChannelHandler serverHandler, int socketBufferBytes)
            throws InterruptedException {
        clientLoop = new MultiThreadIoEventLoopGroup(1, transport.factory(() -> polls));
        serverLoop = new MultiThreadIoEventLoopGroup(1, transport.factory(() -> polls));
        ServerBootstrap server = new ServerBootstrap()
                .group(serverLoop)
                .channel(transport.serverChannel())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, allocator())
                .childHandler(only(serverHandler));
        Bootstrap dial = new Bootstrap()
                .group(clientLoop)
                .channel(transport.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, allocator())
                .handler(only(clientHandler));
        if (socketBufferBytes > 0) {
            server.option(ChannelOption.SO_RCVBUF, socketBufferBytes);
            server.childOption(ChannelOption.SO_SNDBUF, socketBufferBytes);
            dial.option(ChannelOption.SO_SNDBUF, socketBufferBytes).option(ChannelOption.SO_RCVBUF, socketBufferBytes);
        }
        Channel listener = server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        client = dial.connect(listener.localAddress()).sync().channel();
        listener.close().sync();
    }

    private static AdaptiveRecvByteBufAllocator allocator() {
        return new AdaptiveRecvByteBufAllocator(LEAST_READ, FIRST_READ, MOST_READ);
    }

    private static ChannelInitializer<Channel> only(ChannelHandler handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler);
            }
        };
    }

    @Override
    public void close() throws InterruptedException {
        client.close().sync();
        clientLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        serverLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
}
