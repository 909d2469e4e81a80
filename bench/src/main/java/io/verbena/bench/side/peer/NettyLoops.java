package io.verbena.bench.side.peer;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.BooleanSupplier;

/** How Netty uses the sockets of the system. */
public enum NettyLoops {
    /** Epoll, or the selectors of the JDK where it is not available. Its loops can poll. */
    EPOLL,
    /** Submissions and completions in rings; its loops wait in the system. */
    IO_URING;

    /**
     * What drives an event loop.
     *
     * @param polls whether the loop looks again and again instead of waiting in the system
     * @throws IllegalStateException if the system has no such transport
     */
    IoHandlerFactory factory(BooleanSupplier polls) {
        if (this == IO_URING) {
            if (!IoUring.isAvailable()) {
                throw new IllegalStateException("io_uring cannot be used here", IoUring.unavailabilityCause());
            }
            return IoUringIoHandler.newFactory();
        }
        if (Epoll.isAvailable()) {
            return EpollIoHandler.newFactory(
                    0,
                    () -> (ready, hasTasks) -> hasTasks
                            ? ready.get()
                            : polls.getAsBoolean() ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT);
        }
        return NioIoHandler.newFactory(
                SelectorProvider.provider(),
                () -> (ready, hasTasks) -> hasTasks || polls.getAsBoolean() ? ready.get() : SelectStrategy.SELECT);
    }

    Class<? extends SocketChannel> channel() {
        return this == IO_URING
                ? IoUringSocketChannel.class
                : Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    Class<? extends ServerChannel> serverChannel() {
        return this == IO_URING
                ? IoUringServerSocketChannel.class
                : Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }
}
