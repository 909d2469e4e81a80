package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.Connection;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/**
 * A stream over RDMA.
 *
 * @param local the address of this side, as TCP has it
 * @param remote the address of the peer
 * @param port keeps the TCP port of this side until the stream is closed, if that is necessary
 */
record StreamCarrier(StreamSocket socket, SocketAddress local, SocketAddress remote, Optional<SocketChannel> port)
        implements WaitedCarrier {

    StreamCarrier(StreamSocket socket, SocketAddress local, SocketAddress remote) {
        this(socket, local, remote, Optional.empty());
    }

    /** Of an established stream, with the addresses that its connection has. */
    static StreamCarrier of(StreamSocket socket) throws IOException {
        return of(socket, Optional.empty());
    }

    /** The same, with a channel that keeps the TCP port of this side. */
    static StreamCarrier of(StreamSocket socket, Optional<SocketChannel> port) throws IOException {
        return new StreamCarrier(
                socket,
                socket.localAddress().orElseThrow(ClosedChannelException::new),
                socket.remoteAddress().orElseThrow(ClosedChannelException::new),
                port);
    }

    /** Returns -1 at the end of the stream only if nothing was read before it. */
    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long all = 0;
        for (int i = offset; i < offset + length; i++) {
            if (!targets[i].hasRemaining()) {
                continue;
            }
            int bytes = all == 0 ? socket.read(targets[i]) : readMore(targets[i]);
            if (bytes < 0) {
                return all == 0 ? bytes : all;
            }
            all += bytes;
            if (targets[i].hasRemaining()) {
                return all;
            }
        }
        return all;
    }

    /** After some bytes were read, an end or an error is left for the next read. */
    private int readMore(ByteBuffer target) throws IOException {
        return socket.available() > 0 ? socket.read(target) : 0;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return socket.write(sources, offset, length);
    }

    @Override
    public int readyOps() {
        int ready = socket.ready();
        return ((ready & StreamSocket.READABLE) != 0 ? SelectionKey.OP_READ : 0)
                | ((ready & StreamSocket.WRITABLE) != 0 ? SelectionKey.OP_WRITE : 0);
    }

    @Override
    public boolean awaitReady(int bits, long timeoutNs) {
        return socket.awaitReady(bits, timeoutNs);
    }

    @Override
    public int readTo(WritableByteChannel target) throws IOException {
        return socket.readTo(target);
    }

    @Override
    public int writeFrom(ByteSource source, int most) throws IOException {
        return socket.writeFrom(source, most);
    }

    @Override
    public int available() {
        return socket.available();
    }

    @Override
    public void incomplete(long bytes) {
        socket.incomplete(bytes);
    }

    @Override
    public void onReady(Runnable action) {
        socket.onReady(action);
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public Optional<SocketAddress> localAddress() {
        return Optional.of(local);
    }

    @Override
    public Optional<SocketAddress> remoteAddress() {
        return Optional.of(remote);
    }

    @Override
    public void close(boolean reset) throws IOException {
        if (port.isPresent()) {
            port.get().close();
        }
        if (reset) {
            socket.abort();
        } else {
            socket.close();
        }
    }

    @Override
    public StreamFigures figures() {
        return socket.figures();
    }

    @Override
    public SocketTransport transport() {
        return switch (socket.connection().map(Connection::transport).orElseThrow()) {
            case IWARP -> SocketTransport.IWARP;
            case ROCE_V2, INFINIBAND -> SocketTransport.ROCE;
            case SHARED_MEMORY -> SocketTransport.SHARED_MEMORY;
        };
    }
}
