package io.verbena.tcp;

import io.verbena.base.Times;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.handshake.StatelessHandshake;
import io.verbena.tcp.handshake.SynCookies;
import io.verbena.tcp.state.TcpEnd;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Consumer;

/**
 * A port that accepts connections (the state LISTEN). Connections that are being set up are limited by the backlog, so that a flood of
 * SYNs holds a bounded number (RFC 4987 section 3.1); further SYNs are answered with cookies ({@link StatelessHandshake}).
 */
final class TcpListener implements StreamLoop.Acceptor, TcpStream.Opened {

    private static final int MOST_BACKLOG = 4096;

    private final InetSocketAddress address;
    private final TcpLoop loop;
    private final int backlog;
    private final StreamLoop.AcceptEvents events;
    private final Runnable onClose;
    private int opening;
    private long cookiesUntilNs = Times.NEVER;

    // Guarded by this: any thread may close.
    private boolean closed;

    TcpListener(
            InetSocketAddress address,
            TcpLoop loop,
            int backlog,
            StreamLoop.AcceptEvents events,
            Consumer<TcpListener> onClose) {
        this.address = address;
        this.loop = loop;
        this.backlog = Math.clamp(backlog, 1, MOST_BACKLOG);
        this.events = events;
        this.onClose = () -> onClose.accept(this);
    }

    /** Whether one more connection may be set up. */
    boolean accepts() {
        return opening < backlog;
    }

    void opening() {
        opening++;
    }

    /** A SYN is answered with a cookie. Cookies are accepted as long as this one is valid. */
    void cookieSent(long nowNs) {
        cookiesUntilNs = Times.after(nowNs, SynCookies.VALID_NS);
    }

    /** Whether a valid cookie may arrive. Otherwise none is accepted, so that guesses need a listener whose backlog is full. */
    boolean expectsCookies(long nowNs) {
        return cookiesUntilNs != Times.NEVER && !Times.due(cookiesUntilNs, nowNs);
    }

    /** Gives an established connection to the owner, or resets it if the listener is closed. */
    @Override
    public void onOpened(TcpStream stream) {
        opening--;
        loop.soon(() -> {
            if (!deliver(stream)) {
                stream.close(true);
            }
        });
    }

    @Override
    public void onFailed(TcpStream stream, TcpEnd end) {
        opening--;
        stream.connection().release(true, 0);
    }

    private synchronized boolean deliver(TcpStream stream) {
        if (closed) {
            return false;
        }
        events.onAccepted(stream);
        return true;
    }

    @Override
    public SocketAddress localAddress() {
        return address;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        onClose.run();
    }
}
