package io.verbena.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A network and two event loops: what a test needs for a server and its clients. */
final class Loops implements AutoCloseable {

    final StreamNetwork network;
    final EventLoopGroup group;

    Loops(String provider) {
        network = StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults());
        group = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory(network));
    }

    ServerBootstrap server(Supplier<ChannelHandler> handlers) {
        return new ServerBootstrap()
                .group(group)
                .channel(VerbenaServerSocketChannel.class)
                .childHandler(each(handlers))
                .localAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    Bootstrap client(Supplier<ChannelHandler> handlers) {
        return new Bootstrap().group(group).channel(VerbenaSocketChannel.class).handler(each(handlers));
    }

    private static ChannelInitializer<Channel> each(Supplier<ChannelHandler> handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers.get());
            }
        };
    }

    boolean shutDown() throws InterruptedException {
        return group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        shutDown();
        network.close();
    }
}
