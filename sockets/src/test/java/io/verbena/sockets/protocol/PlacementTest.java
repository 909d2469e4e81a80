package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.sockets.StreamBytes;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that the application copies straight to the target: order, what they wait for, failures, and the ends of a stream. */
class PlacementTest {

    private static final int LEAST = StreamSettings.LEAST_PLACED_BYTES;
    private static final int TARGET = 32 << 10;

    private final EnginePair pair = large(true);
    private final EnginePair.Side client = pair.client;
    private final EnginePair.Side server = pair.server;
    private long written;
    private long read;

    /** Two targets of 32 KiB, and a send buffer that does not grow. */
    private static EnginePair large(boolean immediate) {
        StreamSettings settings = new StreamSettings(16, 32, 2 * TARGET, 2 * TARGET, immediate, false);
        EnginePair enginePair = new EnginePair(settings, settings).connect();
        enginePair.settle();
        enginePair.client.engine.peerReachable();
        return enginePair;
    }

    private ByteBuffer source(int bytes) {
        ByteBuffer source = ByteBuffer.allocate(bytes);
        StreamBytes.fill(source, written);
        return source.flip();
    }

    /** Places a piece of a write of this size, as an application does; returns its size. */
    private int place(int bytes) {
        ByteBuffer source = source(bytes);
        int piece = client.engine.placeable(bytes);
        if (piece > 0) {
            byte[] copy = new byte[piece];
            source.get(0, copy);
            server.place(copy, client.engine.placeAddress(), client.engine.placeKey());
            client.engine.placed(piece);
            written += piece;
        }
        return piece;
    }

    private int ring(int bytes) {
        int taken = client.engine.write(source(bytes));
        written += taken;
        return taken;
    }

    /** The peer reads up to this many bytes. */
    private int read(int most) {
        ByteBuffer target = ByteBuffer.allocate(most);
        int bytes = server.engine.read(target);
        StreamBytes.assertAre(target, bytes, read);
        read += bytes;
        return bytes;
    }

    private void readAll() {
        pair.settle();
        while (read(TARGET) > 0) {
            pair.settle();
        }
        assertEquals(written, read);
    }

    @Test
    void targetIsFree_pieceIsAnnounced_andPassesThroughNoBuffer() {
        assertEquals(LEAST, place(LEAST));
        assertEquals(0, server.engine.available());
        pair.settle();
        assertEquals(LEAST, server.engine.available());
        assertEquals(0, client.engine.unfinished());
        readAll();
    }

    @Test
    void messageOfAPiece_isAMessageAlone() {
        place(LEAST);
        StreamWork work = new StreamWork(client.open.getFirst());
        assertTrue(client.engine.nextWork(work));
        assertEquals(StreamWork.Kind.MESSAGE, work.kind());
        assertEquals(StreamMessage.of(StreamMessage.DATA, LEAST), work.message());
        assertFalse(client.engine.nextWork(work));
    }

    @Test
    void smallWrite_isNotPlaced() {
        assertEquals(0, place(LEAST - 1));
        assertEquals(LEAST - 1, ring(LEAST - 1));
        readAll();
    }

    @Test
    void bytesWaitInTheRing_nothingIsPlacedBeforeThem() {
        ring(100);
        assertEquals(0, place(LEAST));
        pair.settle();
        assertEquals(LEAST, place(LEAST));
        readAll();
    }

    @Test
    void pieceIsNotAnnounced_noOtherOneIsPlaced_andTheRingFollowsIt() {
        place(LEAST);
        assertEquals(0, place(LEAST));
        assertEquals(100, ring(100));
        readAll();
    }

    @Test
    void targetHasLittleLeft_theRingTakesWhatFillsIt() {
        place(LEAST);
        pair.settle();
        assertEquals(100, ring(100));
        pair.settle();
        int left = TARGET - LEAST - 100;
        assertEquals(0, place(LEAST), "the target has less than that");
        assertEquals(left, ring(2 * LEAST));
        pair.settle();
        assertEquals(2 * LEAST, place(2 * LEAST));
        readAll();
    }

    @Test
    void noTarget_largeWriteWaits_untilThePeerReads() {
        place(TARGET);
        pair.settle();
        place(TARGET);
        pair.settle();
        assertTrue(client.engine.writable());
        assertEquals(0, place(TARGET));
        assertEquals(0, ring(TARGET));
        assertFalse(client.engine.writable());
        read(TARGET - 1);
        pair.settle();
        assertFalse(client.engine.writable());
        read(1);
        pair.settle();
        assertTrue(client.engine.writable());
        assertEquals(TARGET, place(TARGET));
        readAll();
    }

    @Test
    void noTarget_smallWriteIsBuffered() {
        place(TARGET);
        pair.settle();
        place(TARGET);
        pair.settle();
        assertEquals(0, ring(TARGET));
        assertEquals(1000, ring(1000));
        assertTrue(client.engine.writable(), "the last write was not one that waits");
        readAll();
    }

    @Test
    void noCredits_nothingIsPlaced() {
        for (int i = client.engine.credits(); i > 0; i--) {
            ring(1);
            client.post();
        }
        assertEquals(0, place(LEAST));
        readAll();
        assertEquals(LEAST, place(LEAST));
        readAll();
    }

    @Test
    void placementFails_theRingTakesThePiece_andNoMoreThanIsSentAtOnce() {
        place(LEAST);
        pair.settle();
        assertEquals(LEAST, client.engine.placeable(TARGET));
        client.engine.notPlaced();
        assertEquals(TARGET - LEAST, ring(2 * TARGET));
        readAll();
        assertEquals(TARGET, place(TARGET));
        readAll();
    }

    @Test
    void placementFailsOften_largeWritesAreBufferedAsWithoutIt() {
        place(LEAST);
        pair.settle();
        for (int i = 0; i < Outbound.MOST_FAILURES; i++) {
            assertTrue(client.engine.places());
            client.engine.notPlaced();
        }
        assertFalse(client.engine.places());
        assertEquals(2 * TARGET, ring(2 * TARGET));
        readAll();
        assertTrue(place(TARGET) > 0, "the ring is empty");
        assertTrue(client.engine.places());
    }

    private void fail() {
        place(LEAST);
        pair.settle();
        for (int i = 0; i < Outbound.MOST_FAILURES; i++) {
            client.engine.notPlaced();
        }
        assertFalse(client.engine.places());
    }

    @Test
    void placementFailedOften_someMessagesLater_largeWritesWaitAgain() {
        fail();
        for (int i = 0; i < Outbound.REST_MESSAGES; i++) {
            assertFalse(client.engine.places());
            ring(1);
            readAll();
        }
        assertTrue(client.engine.places());
    }

    @Test
    void placementFailedOften_peerOffersOtherMemory_largeWritesWaitAgain() {
        StreamSettings growing = new StreamSettings(16, 32, 2 * TARGET, 8 * TARGET, true, false);
        EnginePair grows = new EnginePair(growing, growing).connect();
        grows.settle();
        StreamEngine engine = grows.client.engine;
        engine.peerReachable();
        for (int i = 0; i < Outbound.MOST_FAILURES; i++) {
            engine.notPlaced();
        }
        assertFalse(engine.places());
        assertEquals(2 * TARGET, engine.write(ByteBuffer.allocate(2 * TARGET)));
        grows.settle();
        assertEquals(2 * TARGET, grows.server.engine.read(ByteBuffer.allocate(2 * TARGET)));
        grows.settle();
        assertEquals(8 * TARGET, grows.server.engine.receiveBufferBytes());
        assertTrue(engine.places());
    }

    @Test
    void peerIsNotReachable_nothingIsPlaced_andNoWriteWaits() {
        StreamSettings settings = new StreamSettings(16, 32, 2 * TARGET, 2 * TARGET, true, false);
        EnginePair far = new EnginePair(settings, settings).connect();
        far.settle();
        assertEquals(0, far.client.engine.placeable(TARGET));
        assertEquals(2 * TARGET, far.client.engine.write(ByteBuffer.allocate(3 * TARGET)));
    }

    /** The peer's buffer is small at first: the send buffer takes large writes, so that both grow. */
    @Test
    void smallTargets_noWriteWaits() {
        EnginePair small = EnginePair.connected();
        small.settle();
        small.client.engine.peerReachable();
        assertFalse(small.client.engine.places());
        assertEquals(64 * 4, small.client.engine.write(ByteBuffer.allocate(TARGET)));
    }

    @Test
    void outputShut_pieceArrivesBeforeTheEnd() {
        place(LEAST);
        client.engine.shutdownOutput();
        assertEquals(0, client.engine.placeable(LEAST));
        readAll();
        assertTrue(server.engine.inputEnded());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedOrReset_pieceArrives(boolean reset) {
        place(LEAST);
        if (reset) {
            client.engine.reset();
        } else {
            client.engine.close();
        }
        pair.settle();
        assertEquals(StreamState.CLOSED, client.engine.state());
        assertEquals(LEAST, server.engine.available());
    }

    @Test
    void peerCloses_pieceIsDropped_andNothingIsPosted() {
        place(LEAST);
        client.engine.onMessage(StreamMessage.of(StreamMessage.CONTROL, StreamMessage.DISCONNECT));
        assertEquals(0, client.engine.unfinished());
        assertFalse(client.engine.nextWork(new StreamWork(client.open.getFirst())));
    }

    /** A message that is a Send takes one entry of the send queue, and the peer's receives suffice. */
    @Test
    void withoutImmediateData_piecesArrive() {
        EnginePair other = large(false);
        for (int i = 0; i < 100; i++) {
            int piece = other.client.engine.placeable(LEAST);
            assertEquals(LEAST, piece);
            other.server.place(new byte[piece], other.client.engine.placeAddress(), other.client.engine.placeKey());
            other.client.engine.placed(piece);
            other.settle();
            assertEquals(LEAST, other.server.engine.read(ByteBuffer.allocate(LEAST)));
            other.settle();
        }
    }

    static LongStream seeds() {
        return Seeds.of(LongStream.range(0, 30).toArray());
    }

    /** Any order of writes, failures, reads and arrivals: the stream arrives whole, and no write waits that could be done. */
    @Tag(Seeds.TAG)
    @ParameterizedTest
    @MethodSource("seeds")
    void anyOrder_streamArrivesWhole(long seed) {
        Random random = new Random(seed);
        int failing = random.nextInt(4);
        for (int i = 0; i < 2_000; i++) {
            switch (random.nextInt(5)) {
                case 0 -> writeAny(random, 1 + random.nextInt(3 * TARGET), failing);
                case 1 -> writeAny(random, 1 + random.nextInt(500), failing);
                case 2 -> read(1 + random.nextInt(2 * TARGET));
                case 3 -> pair.step(client);
                default -> pair.step(server);
            }
        }
        readAll();
        assertTrue(client.engine.writable(), () -> "seed " + seed + ": " + client.engine);
    }

    private void writeAny(Random random, int bytes, int failing) {
        if (client.engine.placeable(bytes) > 0 && random.nextInt(4) < failing) {
            client.engine.notPlaced();
            ring(bytes);
        } else if (place(bytes) == 0) {
            ring(bytes);
        }
    }
}
