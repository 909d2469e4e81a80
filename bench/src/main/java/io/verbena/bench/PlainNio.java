package io.verbena.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The anchor of the figures: bytes over the same loopback TCP with plain NIO and nothing else. */
final class PlainNio implements AutoCloseable {

    final SocketChannel a;
    final SocketChannel b;

    PlainNio() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            a = SocketChannel.open(listener.getLocalAddress());
            b = listener.accept();
        }
        a.setOption(StandardSocketOptions.TCP_NODELAY, true);
        b.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Moves messages one way, one write call each; returns bytes per second. */
    double bandwidth(int messageBytes, long totalBytes) throws IOException, InterruptedException {
        ByteBuffer out = ByteBuffer.allocateDirect(messageBytes);
        ByteBuffer in = ByteBuffer.allocateDirect(messageBytes);
        long messages = totalBytes / messageBytes;
        long begin = System.nanoTime();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                for (long left = messages * messageBytes; left > 0; ) {
                    int count = b.read(in.clear());
                    if (count < 0) {
                        throw new IOException("the stream ended early");
                    }
                    left -= count;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        for (long i = 0; i < messages; i++) {
            out.clear();
            while (out.hasRemaining()) {
                a.write(out);
            }
        }
        reader.join();
        return (double) messages * messageBytes * 1e9 / (System.nanoTime() - begin);
    }

    /** Busy-polling ping-pong of 8 bytes; returns half a round trip in nanoseconds. */
    double latencyNs(int rounds) throws IOException, InterruptedException {
        a.configureBlocking(false);
        b.configureBlocking(false);
        Thread echo = Thread.ofPlatform().start(() -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(8);
            try {
                for (int i = 0; i < rounds; i++) {
                    readFully(b, buffer);
                    writeFully(b, buffer);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        long begin = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            writeFully(a, buffer);
            readFully(a, buffer);
        }
        long ns = System.nanoTime() - begin;
        echo.join();
        a.configureBlocking(true);
        b.configureBlocking(true);
        return ns / 2.0 / rounds;
    }

    private static void readFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("the stream ended early");
            }
        }
    }

    private static void writeFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        a.close();
        b.close();
    }
}
