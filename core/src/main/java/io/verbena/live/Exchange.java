package io.verbena.live;

import io.verbena.base.Times;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** One text in each direction over a Unix socket; the end of the stream ends a text. */
final class Exchange {

    private Exchange() {}

    /** Reads a text; empty if it does not end within the time limit or is longer than {@code mostBytes}. */
    static Optional<String> read(SocketChannel from, Duration patience, int mostBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 12);
        long startNs = System.nanoTime();
        try (Selector selector = from.provider().openSelector()) {
            from.configureBlocking(false);
            SelectionKey key = from.register(selector, SelectionKey.OP_READ);
            while (from.read(bytes) >= 0) {
                long leftMs = (Times.nanos(patience) - (System.nanoTime() - startNs)) / 1_000_000;
                if (leftMs <= 0 || bytes.position() >= mostBytes) {
                    return Optional.empty();
                }
                if (!bytes.hasRemaining()) {
                    bytes = ByteBuffer.allocate(bytes.capacity() * 2).put(bytes.flip());
                } else {
                    selector.select(leftMs);
                    selector.selectedKeys().clear();
                }
            }
            key.cancel();
            selector.selectNow(); // a channel that is registered cannot be made blocking again
        }
        from.configureBlocking(true);
        return Optional.of(StandardCharsets.UTF_8.decode(bytes.flip()).toString());
    }

    static void write(SocketChannel to, String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
        to.shutdownOutput();
    }
}
