package io.verbena.bench.side.peer;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Two ends of one loopback TCP connection, with socket buffers of a given size on both. */
final class NioPair implements AutoCloseable {

    final SocketChannel a;
    final SocketChannel b;

    NioPair(int socketBufferBytes) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            // Before the connection: the window scale of TCP depends on it.
            if (socketBufferBytes > 0) {
                listener.setOption(StandardSocketOptions.SO_RCVBUF, socketBufferBytes);
            }
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            a = SocketChannel.open();
            size(a, socketBufferBytes);
            a.connect(listener.getLocalAddress());
            b = listener.accept();
            size(b, socketBufferBytes);
        }
        a.setOption(StandardSocketOptions.TCP_NODELAY, true);
        b.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    private static void size(SocketChannel channel, int bytes) throws IOException {
        if (bytes > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
        }
    }

    /** Writes all of a buffer. */
    static void writeFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** Fills a buffer. */
    static void readFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the stream ended early");
            }
        }
    }

    /** Reads and discards this number of bytes, at most one buffer per call. */
    static void drain(SocketChannel channel, ByteBuffer buffer, long bytes) throws IOException {
        for (long left = bytes; left > 0; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            int count = channel.read(buffer);
            if (count < 0) {
                throw new EOFException("the stream ended early");
            }
            left -= count;
        }
    }

    @Override
    public void close() throws IOException {
        a.close();
        b.close();
    }
}
