package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.StreamBytes;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
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
        RnicOptions options = StreamNetwork.options(RnicOptions.defaults(), StreamOptions.defaults())
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

    /** The next bytes of the stream. */
    private void fill(ByteBuffer source) {
        StreamBytes.fill(source.clear(), position);
        source.clear();
    }

    /** Writes what there is space for. The source is overwritten after that. */
    private int write(ByteBuffer source) throws IOException {
        fill(source);
        int bytes = client.write(source);
        position += bytes;
        MemorySegment.ofBuffer(source.duplicate().clear()).fill((byte) 0x55);
        return bytes;
    }

    private int read(ByteBuffer target) throws IOException {
        target.clear();
        int bytes = server.read(target);
        StreamBytes.assertAre(target, bytes, readPosition);
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

    /** A channel that has as many of the next bytes of the stream as a test says, and takes as many. */
    private final class Both implements ByteSource, WritableByteChannel {
        private int most;

        @Override
        public int read(ByteBuffer target) {
            int bytes = Math.min(most, target.remaining());
            for (int i = 0; i < bytes; i++) {
                target.put(StreamBytes.at(position++));
            }
            return bytes;
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = Math.min(most, source.remaining());
            StreamBytes.assertAre(source.slice(), bytes, readPosition);
            source.position(source.position() + bytes);
            readPosition += bytes;
            return bytes;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private void transfer(long bytes, int most, RandomGenerator random) throws IOException {
        Both channel = new Both();
        long end = position + bytes;
        long startNs = System.nanoTime();
        while (readPosition < end) {
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, () -> client + "; " + server);
            channel.most = 1 + random.nextInt(most);
            if (position < end) {
                client.writeFrom(channel, LARGE);
            }
            drive();
            channel.most = 1 + random.nextInt(most);
            server.readTo(channel);
        }
        while (readPosition < position) {
            server.readTo(channel);
        }
    }

    /** Only the engine copies, where the memory of the peer cannot be reached. */
    @ParameterizedTest
    @CsvSource({"shm,0", "iwarp,1"})
    void betweenChannels_bytesAreNotCopied(String provider, int copies) throws IOException {
        close();
        connect(provider);
        grow();
        StreamFigures before = client.figures();
        StreamFigures peer = server.figures();
        transfer(100L * LARGE, LARGE, new Random(1));
        StreamFigures.Direction sent = client.figures().sent();
        StreamFigures.Direction received = server.figures().received();
        long bytes = sent.bytes() - before.sent().bytes();
        assertTrue(bytes >= 100L * LARGE);
        assertEquals(bytes, received.bytes() - peer.received().bytes());
        assertEquals(peer.received().copiedBytes(), received.copiedBytes(), "none by the receiver");
        long copied = sent.copiedBytes() - before.sent().copiedBytes();
        // The end of a target of the peer passes through the send buffer.
        assertTrue(copied <= copies * bytes + bytes / 10, copied + " bytes of " + bytes + " were copied");
    }

    /** From the first byte on, with growth on both sides. */
    @ParameterizedTest
    @CsvSource({"shm,1,100", "shm,2,3000", "shm,3,70000", "iwarp,4,3000", "iwarp,5,70000"})
    void betweenChannels_ofAnySizes_theOrderIsKept(String provider, long seed, int most) throws IOException {
        close();
        connect(provider);
        transfer(40L * most, most, new Random(seed));
        assertEquals(position, readPosition);
    }

    @Test
    void betweenChannels_endOfEither_isReported() throws IOException {
        ByteSource over = Channels.newChannel(new ByteArrayInputStream(new byte[0]))::read;
        assertEquals(-1, client.writeFrom(over, LARGE));
        client.shutdownOutput();
        Both target = new Both();
        until(() -> (server.ready() & StreamSocket.READABLE) != 0);
        assertEquals(-1, server.readTo(target));
    }

    /** Buffers of these sizes, with the next bytes of the stream. */
    private ByteBuffer[] buffers(int... sizes) {
        ByteBuffer[] buffers = new ByteBuffer[sizes.length];
        long at = position;
        for (int i = 0; i < sizes.length; i++) {
            buffers[i] = i % 2 == 0 ? ByteBuffer.allocateDirect(sizes[i]) : ByteBuffer.allocate(sizes[i]);
            StreamBytes.fill(buffers[i], at);
            at += sizes[i];
            buffers[i].flip();
        }
        return buffers;
    }

    private void readAll() throws IOException {
        ByteBuffer target = ByteBuffer.allocate(LARGE);
        long startNs = System.nanoTime();
        while (readPosition < position) {
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, () -> client + "; " + server);
            read(target);
            drive();
        }
    }

    @ParameterizedTest
    @CsvSource({"shm", "iwarp"})
    void gatheringWrite_ofSmallBuffers_isOneMessage(String provider) throws IOException {
        close();
        connect(provider);
        grow();
        stream(ByteBuffer.allocate(100), 4L * MOST_BUFFER); // where the send buffer ends, a write is two messages
        long before = client.figures().sent().messages();
        int gathered = 20;
        for (int i = 0; i < gathered; i++) {
            position += client.write(buffers(100, 64, 0, 200, 1, 300, 64), 0, 7);
            readAll();
        }
        long messages = client.figures().sent().messages() - before;
        assertTrue(messages <= gathered + 1, messages + " messages for " + gathered + " writes");
    }

    @Test
    void gatheringWrite_largeBufferAfterSmallOne_isPlaced() throws IOException {
        grow();
        StreamFigures.Direction before = client.figures().sent();
        int placed = 0;
        for (int i = 0; i < 20; i++) {
            ByteBuffer[] parts = buffers(100, 32 << 10, 50);
            placed += parts[1].remaining();
            long end = position + 150 + parts[1].remaining();
            while (position < end) {
                position += client.write(parts, 0, 3);
                readAll();
            }
        }
        StreamFigures.Direction after = client.figures().sent();
        long twice = 2 * (after.bytes() - before.bytes()) - (after.copiedBytes() - before.copiedBytes());
        // The end of a target of the peer passes through the send buffer.
        assertTrue(twice > placed * 0.9, twice + " bytes of " + placed + " were copied once");
    }

    /** Sizes around every limit: what is written and how much at once does not change the bytes. */
    @ParameterizedTest
    @CsvSource({"shm,1", "shm,2", "iwarp,3"})
    void gatheringWrites_ofAnySizes_keepTheOrder(String provider, long seed) throws IOException {
        close();
        connect(provider);
        RandomGenerator random = new Random(seed);
        int[] sizes = {0, 1, 63, 1000, 2 << 10, (16 << 10) - 1, 16 << 10, 40_000, LARGE, LARGE + 1, 200_000};
        long end = 8L << 20;
        while (position < end) {
            int[] chosen = random.ints(random.nextInt(9), 0, sizes.length)
                    .map(i -> sizes[i])
                    .toArray();
            ByteBuffer[] parts = buffers(chosen);
            position += client.write(parts, 0, parts.length);
            if (random.nextInt(3) == 0) {
                readAll();
            } else {
                read(ByteBuffer.allocate(LARGE));
                drive();
            }
        }
        readAll();
        assertEquals(position, readPosition);
    }
}
