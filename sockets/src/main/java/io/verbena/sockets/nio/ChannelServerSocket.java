package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SocketFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The server socket of a listening channel. */
final class ChannelServerSocket extends ServerSocket {

    private static final int DEFAULT_BACKLOG = 50;

    private final VerbenaServerChannel channel;
    private volatile int timeoutMs;

    private ChannelServerSocket(VerbenaServerChannel channel) throws IOException {
        this.channel = channel;
    }

    static ChannelServerSocket of(VerbenaServerChannel channel) {
        try {
            return new ChannelServerSocket(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // an unbound server socket opens nothing
        }
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        bind(local, DEFAULT_BACKLOG);
    }

    @Override
    public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
        SocketFailure.run(() -> channel.bind(local == null ? new InetSocketAddress(0) : local, backlog));
    }

    private @Nullable InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    @SuppressWarnings("NullAway") // an unbound socket has no address
    public InetAddress getInetAddress() {
        InetSocketAddress local = local();
        return local == null ? null : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    @SuppressWarnings("NullAway") // an unbound socket has no address
    public SocketAddress getLocalSocketAddress() {
        return local();
    }

    @Override
    public Socket accept() throws IOException {
        try {
            return accepted().socket();
        } catch (NotYetBoundException e) {
            SocketException unbound = new SocketException("Socket is not bound");
            unbound.initCause(e);
            throw unbound;
        }
    }

    /** Without a time limit, a connection that waits is accepted from a channel that does not block, too. */
    private SocketChannel accepted() throws IOException {
        int timeout = timeoutMs;
        if (timeout > 0) {
            return channel.acceptWithin(timeout);
        }
        SocketChannel accepted = channel.accept();
        if (accepted == null) {
            throw new IllegalBlockingModeException();
        }
        return accepted;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public boolean isBound() {
        return local() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeoutMs = timeout;
    }

    @Override
    public int getSoTimeout() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        return timeoutMs;
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        SocketFailure.option(() -> channel.setOption(StandardSocketOptions.SO_REUSEADDR, on));
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return SocketFailure.option(() -> channel.getOption(StandardSocketOptions.SO_REUSEADDR));
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("size cannot be 0 or negative");
        }
        SocketFailure.option(() -> channel.setOption(StandardSocketOptions.SO_RCVBUF, bytes));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return SocketFailure.option(() -> channel.getOption(StandardSocketOptions.SO_RCVBUF));
    }

    /** Without effect, as for the server sockets of the JDK. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {}

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    /** As the server sockets of the JDK: programs log it. */
    @Override
    public String toString() {
        return isBound()
                ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]"
                : "ServerSocket[unbound]";
    }
}
