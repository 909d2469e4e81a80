package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left when a stream is closed: the peer provides space for it at once, and the stream ends although no program reads. */
class RestTest {

    private static final int MOST = 20_000;

    /** Writes until nothing is taken any more. */
    private static byte[] fill(EnginePair pair, EnginePair.Side side) {
        byte[] bytes = new byte[MOST];
        new Random(7).nextBytes(bytes);
        ByteBuffer source = ByteBuffer.wrap(bytes);
        int before = -1;
        while (source.position() > before) {
            before = source.position();
            side.engine.write(source);
            pair.settle();
        }
        return Arrays.copyOf(bytes, source.position());
    }

    private static byte[] readAll(EnginePair pair, EnginePair.Side side) {
        ByteBuffer target = ByteBuffer.allocate(MOST);
        int before = -1;
        while (target.position() > before) {
            before = target.position();
            side.engine.read(target);
            pair.settle();
        }
        return Arrays.copyOf(target.array(), target.position());
    }

    private static void assertBuffersReleased(EnginePair.Side side) {
        side.engine.release();
        // The table is not the engine's to release.
        assertEquals(1, side.open.size(), () -> "open: " + side.open);
    }

    @Test
    void close_peerReadsNothing_everythingArrivesAndTheStreamEnds() {
        EnginePair pair = EnginePair.connected();
        byte[] written = fill(pair, pair.client);
        assertTrue(pair.client.engine.blocked());
        pair.client.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals(StreamState.PEER_GONE, pair.server.engine.state());
        assertArrayEquals(written, readAll(pair, pair.server));
        assertTrue(pair.server.engine.inputEnded());
        assertBuffersReleased(pair.client);
        assertBuffersReleased(pair.server);
    }

    /** A stream that can send everything does not ask for space. */
    @Test
    void close_nothingWaits_noMemoryIsTaken() {
        EnginePair pair = EnginePair.connected();
        pair.settle();
        assertEquals(60, pair.client.engine.write(ByteBuffer.allocate(60)));
        int before = pair.server.open.size();
        pair.client.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals(before, pair.server.open.size());
    }

    /** Half-closed before, in either direction. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_afterOneDirectionHasEnded_everythingArrives(boolean own) {
        EnginePair pair = EnginePair.connected();
        byte[] written = fill(pair, pair.client);
        (own ? pair.client : pair.server).engine.shutdownOutput();
        pair.settle();
        pair.client.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertArrayEquals(written, readAll(pair, pair.server));
        assertTrue(pair.server.engine.inputEnded());
    }

    @Test
    void bothClose_nothingIsHeldForAReaderThatHasGone() {
        EnginePair pair = EnginePair.connected();
        fill(pair, pair.client);
        fill(pair, pair.server);
        pair.client.engine.close();
        pair.server.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals(StreamState.CLOSED, pair.server.engine.state());
        assertBuffersReleased(pair.client);
        assertBuffersReleased(pair.server);
    }

    /** The peer closes, resets or stops reading after the space was provided. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void close_peerChangesItsMindMeanwhile_bothEnd(int change) {
        for (int steps = 0; steps < 12; steps++) {
            EnginePair pair = EnginePair.connected();
            fill(pair, pair.client);
            pair.client.engine.close();
            for (int i = 0; i < steps; i++) {
                pair.step(i % 2 == 0 ? pair.client : pair.server);
            }
            switch (change) {
                case 0 -> pair.server.engine.close();
                case 1 -> pair.server.engine.reset();
                default -> pair.server.engine.shutdownInput();
            }
            pair.settle();
            if (change == 1) {
                pair.client.engine.onConnectionEnded("reset"); // what tears the connection down
            }
            assertEquals(StreamState.CLOSED, pair.client.engine.state(), "after " + steps + " steps");
            assertTrue(change == 2 || pair.server.engine.state() == StreamState.CLOSED, "after " + steps + " steps");
            assertBuffersReleased(pair.client);
            assertBuffersReleased(pair.server);
        }
    }

    @Test
    void close_peerHasNoMemory_bytesArriveAsItReads() {
        EnginePair pair = EnginePair.connected();
        byte[] written = fill(pair, pair.client);
        pair.server.refusals = Integer.MAX_VALUE;
        pair.client.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSING, pair.client.engine.state());
        assertArrayEquals(written, readAll(pair, pair.server));
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertTrue(pair.server.engine.inputEnded());
    }

    /** librdmacm, and Verbenas that do not know of it. */
    @Test
    void close_peerDoesNotProvideSpace_bytesArriveAsItReads() {
        EnginePair pair = new EnginePair(EnginePair.SMALL, EnginePair.SMALL).connectWithoutExtensions(0);
        byte[] written = fill(pair, pair.client);
        pair.client.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSING, pair.client.engine.state());
        assertArrayEquals(written, readAll(pair, pair.server));
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
    }

    static LongStream seeds() {
        return Seeds.of(600);
    }

    /** Any sizes, buffers that grow or not, reads at any time before and after the close. */
    @Tag(Seeds.TAG)
    @ParameterizedTest
    @MethodSource("seeds")
    void anySizes_everythingArrives_andTheWriterIsDoneBeforeTheReader(long seed) {
        Random random = new Random(seed);
        EnginePair pair = new EnginePair(settings(random), settings(random)).connect();
        byte[] sent = new byte[random.nextInt(MOST)];
        random.nextBytes(sent);
        ByteBuffer source = ByteBuffer.wrap(sent);
        ByteBuffer target = ByteBuffer.allocate(MOST);
        pair.server.refusals = random.nextInt(3);
        for (int i = 0; i < 60; i++) {
            write(pair.client, source, random.nextInt(3_000));
            read(pair.server, target, random.nextInt(random.nextInt(20) == 0 ? 5_000 : 100) + 1);
            for (int step = random.nextInt(12); step > 0; step--) {
                pair.step(random.nextBoolean() ? pair.client : pair.server);
            }
        }
        pair.client.engine.close();
        boolean reads = random.nextBoolean();
        for (int i = 0; reads && i < 60; i++) {
            pair.step(random.nextBoolean() ? pair.client : pair.server);
            read(pair.server, target, random.nextInt(200));
        }
        boolean enough = pair.server.refusals <= 0
                && pair.server.engine.settings().mostBytes() >= pair.client.engine.sendBufferBytes();
        pair.settle();
        assertTrue(
                !enough || pair.client.engine.state() == StreamState.CLOSED,
                () -> pair.client.engine + "\n" + pair.server.engine);
        while (!pair.server.engine.inputEnded()) {
            assertTrue(read(pair.server, target, MOST) > 0, "bytes arrive until the end");
            pair.settle();
        }
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertArrayEquals(Arrays.copyOf(sent, source.position()), Arrays.copyOf(target.array(), target.position()));
        assertBuffersReleased(pair.client);
        assertBuffersReleased(pair.server);
    }

    private static void write(EnginePair.Side side, ByteBuffer source, int most) {
        source.limit(Math.min(source.capacity(), source.position() + most));
        side.engine.write(source);
        source.limit(source.capacity());
    }

    private static int read(EnginePair.Side side, ByteBuffer target, int most) {
        target.limit(Math.min(target.capacity(), target.position() + most));
        int bytes = side.engine.read(target);
        target.limit(target.capacity());
        return bytes;
    }

    private static StreamSettings settings(Random random) {
        int initial = 2 * (1 + random.nextInt(200));
        return new StreamSettings(
                2 + random.nextInt(20),
                16 + random.nextInt(20),
                initial,
                initial * (1 + random.nextInt(20)),
                random.nextBoolean(),
                random.nextInt(4) == 0);
    }
}
