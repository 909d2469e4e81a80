package io.verbena.host.epoll;

import io.verbena.host.socket.SocketAcceptor;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.Sentences;
import io.verbena.port.StreamLoop;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** A listening socket of an {@link EpollLoop}. */
final class EpollAcceptor extends EpollLoop.Watched implements StreamLoop.Acceptor {

    private static final int MOST_AT_ONCE = 64;

    private final EpollLoop loop;
    private final LinuxSockets sockets = new LinuxSockets(Arena.ofAuto());
    private final int fd;
    private final SocketAddress local;
    private final StreamLoop.AcceptEvents events;
    private boolean closed;
    private long resumeAtNs;

    EpollAcceptor(EpollLoop loop, SocketAddress address, int backlog, int bufferBytes, StreamLoop.AcceptEvents events)
            throws IOException {
        this.loop = loop;
        this.events = events;
        int opened = -1;
        try {
            opened = sockets.open(address);
            sockets.set(opened, Linux.SOL_SOCKET, Linux.SO_REUSEADDR, 1);
            // Accepted sockets inherit both sizes; setting them later would be too late for the TCP window scale.
            sockets.size(opened, bufferBytes);
            sockets.simplestWithin(opened, address);
            sockets.bind(opened, address);
            sockets.listen(opened, backlog);
            local = sockets.localAddress(opened);
            fd = opened;
            loop.watch(this, Linux.EPOLLIN);
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException e) {
            if (opened >= 0) {
                sockets.close(opened);
            }
            throw new IOException("Cannot listen at " + AddressText.of(address) + ": " + Sentences.reason(e), e);
        }
    }

    @Override
    int fd() {
        return fd;
    }

    /**
     * Accepts pending connections and returns their number. The lock makes {@link #close} final: it waits for an event
     * in progress, so its caller must hold no lock that the event needs.
     */
    synchronized int accept() {
        int accepted = 0;
        while (!closed && accepted < MOST_AT_ONCE) {
            int connected = Linux.accept(sockets.state(), fd);
            if (connected < 0) {
                outOfMeans(-connected);
                break;
            }
            accepted++;
            EpollStream stream;
            try {
                stream = new EpollStream(loop.sockets(), connected);
            } catch (IOException e) {
                sockets.close(connected); // the peer has already closed the connection
                continue;
            }
            events.onAccepted(stream);
        }
        return accepted;
    }

    /** Out of descriptors or memory: asking again at once would only burn the processor. */
    private void outOfMeans(int errno) {
        switch (errno) {
            case Linux.EMFILE, Linux.ENFILE, Linux.ENOMEM, Linux.ENOBUFS -> {
                loop.unwatch(this);
                resumeAtNs = System.nanoTime() + SocketAcceptor.PAUSE_MS * 1_000_000;
                loop.pause(this);
            }
            default -> {} // no connection is pending, or the peer has closed it
        }
    }

    /** True when it is no longer paused. */
    synchronized boolean resume(long nowNs) {
        if (closed) {
            return true;
        }
        if (resumeAtNs - nowNs > 0) {
            return false;
        }
        try {
            loop.watch(this, Linux.EPOLLIN);
        } catch (IOException e) {
            throw new UncheckedIOException("a listening socket cannot be watched", e);
        }
        return true;
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            loop.unwatch(this);
            sockets.close(fd);
        }
    }
}
