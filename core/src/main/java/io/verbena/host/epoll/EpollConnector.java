package io.verbena.host.epoll;

import io.verbena.host.socket.SocketConnector;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.port.StreamException;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Optional;

/** A connection attempt of an {@link EpollLoop}. */
final class EpollConnector extends EpollLoop.Watched {

    private final EpollLoop loop;
    private final Optional<SocketAddress> local;
    private final SocketAddress remote;
    private final StreamLoop.ConnectEvents events;
    private int fd = -1;

    EpollConnector(
            EpollLoop loop, Optional<SocketAddress> local, SocketAddress remote, StreamLoop.ConnectEvents events) {
        this.loop = loop;
        this.local = local;
        this.remote = remote;
        this.events = events;
    }

    @Override
    int fd() {
        return fd;
    }

    void start(int bufferBytes) {
        LinuxSockets sockets = loop.sockets();
        try {
            fd = sockets.open(remote);
            sockets.size(fd, bufferBytes);
            sockets.simplestWithin(fd, remote);
            if (local.isPresent()) {
                sockets.bind(fd, local.get());
            }
            if (!sockets.connect(fd, remote)) {
                loop.watch(this, Linux.EPOLLOUT);
                loop.connecting(events, this::giveUp);
                return;
            }
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException e) {
            failed(e);
            return;
        }
        connected();
    }

    /** The system has reported the outcome. */
    void finish() {
        loop.connected(events);
        loop.unwatch(this);
        try {
            loop.sockets().finishConnect(fd);
        } catch (IOException e) {
            failed(e);
            return;
        }
        connected();
    }

    /** Cancels the attempt. */
    private void giveUp() {
        loop.unwatch(this);
        loop.sockets().close(fd);
    }

    private void connected() {
        EpollStream stream;
        try {
            stream = new EpollStream(loop.sockets(), fd);
            if (stream.localAddress().equals(stream.remoteAddress())) {
                // TCP simultaneous open: the system chose the unused port of the destination, so the socket connected
                // to itself.
                throw new StreamException(StreamException.Reason.REFUSED, "Connection refused");
            }
        } catch (IOException e) {
            failed(e);
            return;
        }
        events.onConnected(stream);
    }

    private void failed(Exception failure) {
        if (fd >= 0) {
            loop.sockets().close(fd);
        }
        SocketConnector.tell(remote, failure, events);
    }
}
