package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Large writes over shared memory, between two networks that the thread of the test drives. */
@Timeout(60)
class PlacedWritesTest {

    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final int LARGE = 64 << 10;
    private static final int MOST_BUFFER = 512 << 10;

    private final Queue<Runnable> background = new ArrayDeque<>();
    private StreamNetwork clients;
    private StreamNetwork servers;
    private StreamListener listener;
    private StreamSocket client;
    private StreamSocket server;
    private long position;
    private long readPosition;

    private StreamNetwork network(String provider) {
        RnicOptions options = StreamNetwork.options(RnicOptions.defaults())
                .withProvider(provider)
                .withProgress(Progress.INLINE);
        return new StreamNetwork(
                Rnic.open(options), StreamOptions.defaults().withMostBufferBytes(MOST_BUFFER), background::add);
    }

    @BeforeEach
    void connect() throws IOException {
        connect("shm");
    }

    private void connect(String provider) throws IOException {
        clients = network(provider);
        servers = network(provider);
        listener = servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
        client = clients.startConnect(listener.localAddress(), Optional.empty());
        until(() -> (client.ready() & StreamSocket.CONNECTED) != 0 && listener.ready());
        server = listener.accept().orElseThrow();
        until(() -> (server.ready() & StreamSocket.CONNECTED) != 0);
    }

    @AfterEach
    void close() {
        listener.close();
        clients.close();
        servers.close();
        work();
    }

    private void work() {
        for (Runnable next = background.poll(); next != null; next = background.poll()) {
            next.run();
        }
    }

    private void drive() {
        clients.driver().poll();
        servers.driver().poll();
        work();
    }

    private void until(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, () -> client + "; " + server);
            drive();
        }
    }

    private static byte at(long position) {
        return (byte) (position ^ position >>> 8 ^ position >>> 16);
    }

    /** The next bytes of the stream. */
    private void fill(ByteBuffer source) {
        source.clear();
        for (int i = 0; i < source.capacity(); i++) {
            source.put(i, at(position + i));
        }
    }

    /** Writes what there is space for. The source is overwritten after that. */
    private int write(ByteBuffer source) throws IOException {
        fill(source);
        int bytes = client.write(source);
        position += bytes;
        for (int i = 0; i < source.capacity(); i++) {
            source.put(i, (byte) 0x55);
        }
        return bytes;
    }

    private int read(ByteBuffer target) throws IOException {
        target.clear();
        int bytes = server.read(target);
        for (int i = 0; i < bytes; i++) {
            assertEquals(at(readPosition + i), target.get(i), "byte " + (readPosition + i));
        }
        readPosition += Math.max(0, bytes);
        return bytes;
    }

    /** Bytes are sent and read in turn, until the buffers have grown. */
    private void stream(ByteBuffer source, long bytes) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(LARGE);
        long end = position + bytes;
        long startNs = System.nanoTime();
        while (readPosition < end) {
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, () -> client + "; " + server);
            if (position < end) {
                write(source);
            }
            drive();
            read(target);
        }
    }

    private void grow() throws IOException {
        ByteBuffer source = ByteBuffer.allocateDirect(MOST_BUFFER);
        for (int i = 0; i < 20; i++) {
            while (write(source) > 0) {
                drive();
            }
            ByteBuffer target = ByteBuffer.allocate(LARGE);
            long startNs = System.nanoTime();
            while (readPosition < position) {
                assertTrue(System.nanoTime() - startNs < PATIENCE_NS, () -> client + "; " + server);
                read(target);
                drive();
            }
        }
        assertEquals(MOST_BUFFER, server.figures().buffers().receiveBytes());
        stream(ByteBuffer.allocateDirect(LARGE), 4L * MOST_BUFFER);
        until(() -> readPosition == position);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void largeWrites_areCopiedOnceBySender(boolean direct) throws IOException {
        grow();
        StreamFigures.Direction before = client.figures().sent();
        int writes = 100;
        ByteBuffer source = direct ? ByteBuffer.allocateDirect(LARGE) : ByteBuffer.allocate(LARGE);
        stream(source, (long) writes * LARGE);
        StreamFigures.Direction after = client.figures().sent();
        assertEquals(readPosition, position);
        assertEquals((long) writes * LARGE, after.bytes() - before.bytes());
        assertEquals(
                after.bytes() - before.bytes(), after.copiedBytes() - before.copiedBytes(), "one copy of each byte");
    }

    @Test
    void smallWrites_passThroughTheSendBuffer() throws IOException {
        grow();
        StreamFigures.Direction before = client.figures().sent();
        stream(ByteBuffer.allocateDirect(1000), 100_000);
        StreamFigures.Direction after = client.figures().sent();
        assertEquals(2 * (after.bytes() - before.bytes()), after.copiedBytes() - before.copiedBytes());
    }
}
