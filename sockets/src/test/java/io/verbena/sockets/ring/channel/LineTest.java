package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No thread that waits misses a byte or the end because another thread has read it. */
class LineTest {

    private SocketChannel peer;
    private Line line;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            peer = SocketChannel.open(server.getLocalAddress());
            line = new Line(server.accept());
        }
    }

    @AfterEach
    void close() throws IOException {
        line.close();
        peer.close();
    }

    private int drained() {
        int found = 0;
        while (found == 0) {
            found = line.drain();
        }
        return found;
    }

    @Test
    void byteReadByAnotherThread_isASignal() throws IOException {
        long seen = line.signals();
        peer.write(ByteBuffer.wrap(new byte[1]));
        assertEquals(1, drained());
        line.await(seen, Long.MAX_VALUE); // returns at once
        assertTrue(line.signals() > seen);
    }

    @Test
    void byteReadByAnotherThread_endsAWaitThatHasBegun() throws Exception {
        long seen = line.signals();
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> {
            try {
                line.await(seen, Long.MAX_VALUE);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        peer.write(ByteBuffer.wrap(new byte[1]));
        assertEquals(1, drained());
        waits.get(60, TimeUnit.SECONDS);
    }

    @Test
    void wakeThatFails_leavesTheEndToTheReader() throws IOException {
        line.tcp().shutdownOutput();
        line.wake();
        assertFalse(line.ended());
        peer.close();
        assertEquals(-1, drained());
        assertTrue(line.ended());
        assertEquals(0, line.drain());
    }
}
