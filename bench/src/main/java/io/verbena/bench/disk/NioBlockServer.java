package io.verbena.bench.disk;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A server of blocks as one writes it with the channels of the JDK: it takes all requests that have arrived, copies the blocks from the mapped
 * file into one buffer, and writes that buffer. A request has 16 bytes: number, length, offset. An answer has the number and the length.
 */
final class NioBlockServer {
    static final int HEADER_BYTES = 16;
    static final int BUFFER_BYTES = 1 << 20;

    private final MappedByteBuffer file;
    private final ServerSocketChannel listener;

    NioBlockServer(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path)) {
            file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    void serve() throws IOException {
        while (true) {
            SocketChannel channel = listener.accept();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Thread.ofPlatform().daemon(true).start(() -> serve(channel));
        }
    }

    private void serve(SocketChannel channel) {
        ByteBuffer in = ByteBuffer.allocateDirect(HEADER_BYTES * 1024);
        ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (channel) {
            while (channel.read(in) >= 0) {
                in.flip();
                while (in.remaining() >= HEADER_BYTES) {
                    answer(channel, in, out);
                }
                in.compact();
                flush(channel, out);
            }
        } catch (IOException e) {
            throw new IllegalStateException("The measurement broke off.", e);
        }
    }

    private void answer(SocketChannel channel, ByteBuffer in, ByteBuffer out) throws IOException {
        int number = in.getInt();
        int length = in.getInt();
        long offset = in.getLong();
        if (out.remaining() < HEADER_BYTES + length) {
            flush(channel, out);
        }
        out.putInt(number).putInt(length).putLong(0);
        out.put(out.position(), file, (int) offset, length);
        out.position(out.position() + length);
    }

    private static void flush(SocketChannel channel, ByteBuffer out) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
        out.clear();
    }
}
