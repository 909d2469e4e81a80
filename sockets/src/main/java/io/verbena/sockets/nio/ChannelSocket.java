package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SocketFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The socket of a socket channel. */
final class ChannelSocket extends Socket {

    private static final InetAddress ANY = new InetSocketAddress(0).getAddress();

    private final VerbenaSocketChannel channel;
    private volatile int timeoutMs;

    ChannelSocket(VerbenaSocketChannel channel) {
        super(Proxy.NO_PROXY);
        this.channel = channel;
    }

    // Connecting.

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeout) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        checkBlocking();
        if (isClosed()) {
            throw new AsynchronousCloseException(); // as the sockets of the JDK's channels
        }
        SocketFailure.run(() -> channel.connect(remote, timeout));
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        SocketFailure.run(() -> channel.bind(local == null ? new InetSocketAddress(0) : local));
    }

    private @Nullable InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    private @Nullable InetSocketAddress remote() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    @Override
    @SuppressWarnings("NullAway") // a socket that is not connected has no peer
    public InetAddress getInetAddress() {
        InetSocketAddress remote = remote();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress local = isClosed() ? null : local();
        return local == null ? ANY : local.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = remote();
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    @SuppressWarnings("NullAway") // a socket that is not connected has no peer
    public SocketAddress getRemoteSocketAddress() {
        return remote();
    }

    @Override
    @SuppressWarnings("NullAway") // an unbound socket has no address
    public SocketAddress getLocalSocketAddress() {
        return local();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    // Streams.

    private void checkBlocking() {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    private void checkConnected() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        checkConnected();
        if (isInputShutdown()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new Input();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        checkConnected();
        if (isOutputShutdown()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new Output();
    }

    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (length == 0) {
                return 0;
            }
            return channel.readWithin(ByteBuffer.wrap(bytes, offset, length), timeoutMs);
        }

        @Override
        public int available() throws IOException {
            return SocketFailure.call(channel::available);
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            channel.writeFully(ByteBuffer.wrap(bytes, offset, length));
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        channel.sendUrgentData(data);
    }

    @Override
    public void shutdownInput() throws IOException {
        SocketFailure.run(channel::shutdownInput);
    }

    @Override
    public void shutdownOutput() throws IOException {
        SocketFailure.run(channel::shutdownOutput);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    // State.

    @Override
    public boolean isConnected() {
        return channel.isConnected();
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
    public boolean isInputShutdown() {
        return channel.inputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.outputShut();
    }

    // Options.

    private <T> void option(SocketOption<T> name, T value) throws SocketException {
        SocketFailure.option(() -> channel.setOption(name, value));
    }

    private <T> T option(SocketOption<T> name) throws SocketException {
        return SocketFailure.option(() -> channel.getOption(name));
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout can't be negative");
        }
        timeoutMs = timeout;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        return timeoutMs;
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        option(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return option(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int linger) throws SocketException {
        option(StandardSocketOptions.SO_LINGER, on ? linger : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return option(StandardSocketOptions.SO_LINGER);
    }

    /** Urgent data are not read inline; the channels of the JDK drop them as well. */
    @Override
    public void setOOBInline(boolean on) throws SocketException {
        SocketFailure.option(() -> {
            channel.urgentInline(on);
            return on;
        });
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return SocketFailure.option(channel::urgentInline);
    }

    @Override
    public void setSendBufferSize(int bytes) throws SocketException {
        checkSize(bytes);
        option(StandardSocketOptions.SO_SNDBUF, bytes);
    }

    private static void checkSize(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid size: " + bytes);
        }
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return option(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        checkSize(bytes);
        option(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return option(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        option(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return option(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setTrafficClass(int value) throws SocketException {
        option(StandardSocketOptions.IP_TOS, value);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return option(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        option(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return option(StandardSocketOptions.SO_REUSEADDR);
    }

    /** Without effect, as for the sockets of the JDK. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {}

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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

    /** As the sockets of the JDK: programs log it. */
    @Override
    public String toString() {
        return isConnected()
                ? "Socket[addr=" + getInetAddress() + ",port=" + getPort() + ",localport=" + getLocalPort() + "]"
                : "Socket[unconnected]";
    }
}
