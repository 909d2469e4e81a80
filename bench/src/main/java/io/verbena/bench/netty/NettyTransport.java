package io.verbena.bench.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.netty.VerbenaServerSocketChannel;
import io.verbena.netty.VerbenaSocketChannel;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.util.Locale;

/** A transport of Netty. */
enum NettyTransport {
    EPOLL,
    SHM,
    IWARP;

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Event loops; ours have an RNIC of their own. */
    IoHandlerFactory handlers(SelectStrategyFactory strategies) {
        return this == EPOLL
                ? EpollIoHandler.newFactory(0, strategies)
                : VerbenaIoHandler.newFactory(
                        StreamNetwork.open(RnicOptions.defaults().withProvider(title()), StreamOptions.defaults()),
                        strategies);
    }

    Class<? extends ServerChannel> serverType() {
        return this == EPOLL ? EpollServerSocketChannel.class : VerbenaServerSocketChannel.class;
    }

    Class<? extends Channel> clientType() {
        return this == EPOLL ? EpollSocketChannel.class : VerbenaSocketChannel.class;
    }
}
