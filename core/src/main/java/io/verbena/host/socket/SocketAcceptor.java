package io.verbena.host.socket;

import io.verbena.host.system.Sentences;
import io.verbena.host.system.SystemChannels;
import io.verbena.port.StreamLoop;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** A listening socket of a {@link SocketLoop}. */
public final class SocketAcceptor implements StreamLoop.Acceptor {

    /** How long to wait when the system has no descriptor or memory for a new connection. */
    public static final long PAUSE_MS = 50;

    private static final int MOST_AT_ONCE = 64;

    private final SocketLoop loop;
    private final ServerSocketChannel server;
    private final SocketAddress local;
    private final StreamLoop.AcceptEvents events;
    private boolean closed;
    private long resumeAtNs;

    SocketAcceptor(
            SocketLoop loop, SocketAddress address, int backlog, int socketBufferBytes, StreamLoop.AcceptEvents events)
            throws IOException {
        this.loop = loop;
        this.events = events;
        server = SystemChannels.provider().openServerSocketChannel();
        try {
            server.configureBlocking(false);
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            if (socketBufferBytes > 0) {
                // Accepted sockets inherit the size; setting it later would be too late for the TCP window scale.
                server.setOption(StandardSocketOptions.SO_RCVBUF, socketBufferBytes);
            }
            server.bind(address, backlog);
            local = server.getLocalAddress();
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException | SecurityException e) {
            server.close();
            throw new IOException("Cannot listen at " + AddressText.of(address) + ": " + Sentences.reason(e), e);
        }
    }

    void register(Selector selector) throws ClosedChannelException {
        server.register(selector, SelectionKey.OP_ACCEPT, this);
    }

    /**
     * Accepts pending connections and returns their number. The lock makes {@link #close} final: it waits for an event
     * in progress, so its caller must hold no lock that the event needs.
     */
    synchronized int accept() {
        int accepted = 0;
        while (!closed && accepted < MOST_AT_ONCE) {
            SocketChannel channel;
            try {
                channel = server.accept();
            } catch (IOException e) {
                pause();
                break;
            }
            if (channel == null) {
                break;
            }
            accepted++;
            SocketStream stream;
            try {
                stream = wrap(channel);
            } catch (IOException e) {
                continue; // the peer has already closed the connection
            }
            events.onAccepted(stream);
        }
        return accepted;
    }

    private SocketStream wrap(SocketChannel channel) throws IOException {
        try {
            loop.size(channel);
            return new SocketStream(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Out of descriptors or memory: asking again at once would only burn the processor. */
    private void pause() {
        SelectionKey key = server.keyFor(loop.selector());
        if (key != null && key.isValid()) {
            key.interestOps(0);
            resumeAtNs = System.nanoTime() + PAUSE_MS * 1_000_000;
            loop.pause(this);
        }
    }

    /** True when it is no longer paused. */
    synchronized boolean resume(long nowNs) {
        if (resumeAtNs - nowNs > 0) {
            return false;
        }
        SelectionKey key = server.keyFor(loop.selector());
        if (key != null && key.isValid()) {
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
        return true;
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException("closing a listening socket failed", e);
            }
        }
        // Only then does the system stop taking connections.
        loop.flush();
        loop.awaitReleased(server);
    }
}
