package io.verbena.sockets.protocol;

import static io.verbena.sockets.protocol.EnginePair.read;
import static io.verbena.sockets.protocol.EnginePair.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts for two engines: data, credits, targets, growth, and the ends of a stream. */
class StreamEngineTest {

    @Test
    void connected_textInBothDirections_arrives() {
        EnginePair pair = EnginePair.connected();
        assertEquals(5, write(pair.client, "hello"));
        write(pair.server, "welcome");
        pair.settle();
        assertEquals("hello", read(pair.server));
        assertEquals("welcome", read(pair.client));
    }

    /** The first target comes with the connection, the second one at once after it. */
    @Test
    void connected_firstWork_isTheSecondTarget() {
        EnginePair pair = EnginePair.connected();
        StreamWork work = new StreamWork(pair.client.open.getFirst());
        assertTrue(pair.client.engine.nextWork(work));
        assertEquals(StreamWork.Kind.TARGET, work.kind());
        assertEquals(StreamMessage.of(StreamMessage.CREDITS, EnginePair.SMALL.credits()), work.message());
        assertFalse(pair.client.engine.nextWork(work));
    }

    @Test
    void peerReadsNothing_writer_isStoppedByTheTargets() {
        EnginePair pair = new EnginePair(fixed(64), fixed(64)).connect();
        int written = 0;
        for (int i = 0; i < 20; i++) {
            written += write(pair.client, "0123456789abcdef");
            pair.settle();
        }
        assertEquals(64 + 64, written, "the receive buffer and the send buffer are full");
        assertFalse(pair.client.engine.writable());
        assertEquals(64, read(pair.server).length());
        pair.settle();
        assertEquals(64, read(pair.server).length());
        assertTrue(pair.client.engine.writable());
    }

    private static StreamSettings fixed(int bytes) {
        return new StreamSettings(4, 20, bytes, bytes, true, false);
    }

    @Test
    void buffersLimitTheStream_theyGrow_andOldOnesAreReleased() {
        EnginePair pair = EnginePair.connected();
        StringBuilder sent = new StringBuilder();
        StringBuilder received = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            String text = String.valueOf((char) ('a' + i % 26)).repeat(700);
            sent.append(text, 0, write(pair.client, text));
            pair.settle();
            received.append(read(pair.server));
            pair.settle();
        }
        pair.settle();
        received.append(read(pair.server));
        assertEquals(sent.toString(), received.toString());
        assertEquals(1024, pair.client.engine.sendBufferBytes());
        assertTrue(pair.server.engine.receiveBufferBytes() > 64);
        assertEquals(3, pair.client.open.size());
        assertTrue(pair.server.open.size() <= 4, "table, two receive buffers at most, send buffer");
    }

    /** The buffer is never full: a stream in constant use gets a larger one all the same, and the credits that belong to it. */
    @Test
    void smallMessages_readAtOnce_bufferGrowsByUse() {
        StreamSettings settings = new StreamSettings(64, 80, 1024, 1 << 20, true, false);
        EnginePair pair = new EnginePair(settings, settings).connect();
        String message = "m".repeat(64);
        int atFirst = pair.server.engine.receiveBufferBytes();
        for (int i = 0; i < 2_000; i++) {
            assertEquals(64, write(pair.client, message));
            pair.settle();
            assertEquals(message, read(pair.server));
        }
        pair.settle();
        assertEquals(1024, atFirst);
        assertEquals(16 << 10, pair.server.engine.receiveBufferBytes());
        assertTrue(pair.client.engine.credits() > 64 / 4 - 1, () -> pair.client.engine.credits() + " credits");
    }

    /** The reader is so fast that the buffer is never full, and the writer still has more than an extent takes. */
    @Test
    void largeMessages_readAtOnce_bufferGrowsToTheMost() {
        StreamSettings settings = new StreamSettings(64, 80, 1024, 1 << 18, true, false);
        EnginePair pair = new EnginePair(settings, settings).connect();
        String text = "l".repeat(100_000);
        for (int i = 0; i < 300; i++) {
            write(pair.client, text);
            pair.settle();
            pair.server.engine.read(ByteBuffer.allocate(1 << 18));
            pair.settle();
        }
        assertEquals(1 << 18, pair.server.engine.receiveBufferBytes());
    }

    @Test
    void noMemoryForLargerBuffers_streamContinuesWithSmallOnes() {
        EnginePair pair = EnginePair.connected();
        pair.client.refusals = Integer.MAX_VALUE;
        pair.server.refusals = Integer.MAX_VALUE;
        int received = 0;
        int sent = 0;
        for (int i = 0; i < 50; i++) {
            sent += write(pair.client, "x".repeat(100));
            pair.settle();
            received += read(pair.server).length();
        }
        pair.settle();
        received += read(pair.server).length();
        assertEquals(sent, received);
        assertEquals(64, pair.client.engine.sendBufferBytes());
    }

    // The ends of a stream.

    @Test
    void open_shutdownOutput_peerReadsEverythingThenTheEnd_andAnswers() {
        EnginePair pair = EnginePair.connected();
        write(pair.client, "last words");
        pair.client.engine.shutdownOutput();
        pair.settle();
        assertFalse(pair.server.engine.inputEnded(), "there are bytes before the end");
        assertEquals("last words", read(pair.server));
        assertTrue(pair.server.engine.inputEnded());
        assertEquals(StreamState.INPUT_ENDED, pair.server.engine.state());
        write(pair.server, "and mine");
        pair.settle();
        assertEquals("and mine", read(pair.client));
        pair.server.engine.shutdownOutput();
        pair.settle();
        assertTrue(pair.client.engine.inputEnded());
        assertEquals(StreamState.ENDED, pair.client.engine.state());
        assertEquals(StreamState.ENDED, pair.server.engine.state());
    }

    /** Without immediate data, unless the transport is InfiniBand's. */
    private static StreamSettings plain(boolean infiniband) {
        return new StreamSettings(4, 20, 64, 1024, false, infiniband);
    }

    /** librdmacm may have closed its connection: what arrives there then makes its system drop bytes that are under way to this side. */
    @Test
    void outputEnded_toLibrdmacm_grantsNothingUntilThePeerCannotGoOn() {
        EnginePair pair = new EnginePair(plain(false), plain(false)).connectWithoutExtensions(ConnectData.HAS_MAP);
        pair.client.engine.shutdownOutput();
        pair.settle();
        int posted = pair.client.posted;
        write(pair.server, "x".repeat(40)); // the first target and 8 bytes of the second one
        pair.settle();
        assertEquals("x".repeat(40), read(pair.client));
        pair.settle();
        assertEquals(posted, pair.client.posted);
        write(pair.server, "y".repeat(24));
        pair.settle();
        assertEquals("y".repeat(24), read(pair.client));
        pair.settle();
        assertTrue(pair.client.posted > posted, "both targets are full");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void outputEnded_toVerbenaOrByInfiniband_grantsAtOnce(boolean infiniband) {
        EnginePair pair = new EnginePair(plain(infiniband), plain(infiniband));
        pair = infiniband ? pair.connectWithoutExtensions(ConnectData.HAS_MAP) : pair.connect();
        pair.client.engine.shutdownOutput();
        pair.settle();
        int posted = pair.client.posted;
        write(pair.server, "x".repeat(40));
        pair.settle();
        assertEquals("x".repeat(40), read(pair.client));
        pair.settle();
        assertTrue(pair.client.posted > posted);
    }

    @Test
    void peerHasEnded_nothingIsGranted() {
        EnginePair pair = EnginePair.connected();
        write(pair.server, "x".repeat(40));
        pair.server.engine.shutdownOutput();
        pair.settle();
        int posted = pair.client.posted;
        assertEquals("x".repeat(40), read(pair.client));
        pair.settle();
        assertEquals(posted, pair.client.posted);
    }

    /** Every side ends its direction at another moment, and what the other one sends arrives whole. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void anySchedule_directionsEndOneByOne_everyByteArrives(long seed) {
        Random random = new Random(seed);
        EnginePair pair = new EnginePair(settings(random), settings(random));
        pair = seed % 2 == 0 ? pair.connect() : pair.connectWithoutExtensions(ConnectData.HAS_MAP);
        EnginePair.Side[] sides = {pair.client, pair.server};
        int[] length = {random.nextInt(5_000), random.nextInt(20_000)};
        int[] written = new int[2];
        int[] read = new int[2];
        for (int turn = 0; !sides[0].engine.inputEnded() || !sides[1].engine.inputEnded(); turn++) {
            assertTrue(turn < 1_000_000, "seed " + seed + " makes progress");
            int i = random.nextInt(2);
            StreamEngine engine = sides[i].engine;
            switch (random.nextInt(3)) {
                case 0 -> {
                    written[i] +=
                            engine.write(ByteBuffer.allocate(Math.min(length[i] - written[i], random.nextInt(700))));
                    if (written[i] == length[i]) {
                        engine.shutdownOutput();
                    }
                }
                case 1 -> read[i] += engine.read(ByteBuffer.allocate(random.nextInt(700)));
                default -> pair.step(sides[i]);
            }
        }
        assertEquals(length[0], read[1]);
        assertEquals(length[1], read[0]);
    }

    @Test
    void close_withUnsentData_sendsItBeforeTheEnd() {
        EnginePair pair = EnginePair.connected();
        int sent = write(pair.client, "y".repeat(700));
        pair.client.engine.close();
        assertEquals(StreamState.CLOSING, pair.client.engine.state());
        int received = 0;
        for (int i = 0; i < 100; i++) {
            pair.settle();
            received += read(pair.server).length();
        }
        assertEquals(sent, received);
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertTrue(pair.server.engine.inputEnded());
        assertEquals(StreamState.PEER_GONE, pair.server.engine.state());
        assertEquals(0, write(pair.server, "too late"));
    }

    /** The first target has 32 bytes: what does not fit into it is dropped. */
    @Test
    void reset_sendsWhatThePeerAccepts_andDropsTheRest() {
        EnginePair pair = EnginePair.connected();
        assertEquals(50, write(pair.client, "z".repeat(50)));
        pair.client.engine.reset();
        pair.client.post();
        assertEquals(StreamState.CLOSING, pair.client.engine.state(), "not before it has left");
        while (pair.step(pair.client)) {}
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals("z".repeat(32), read(pair.server));
        assertEquals(StreamState.OPEN, pair.server.engine.state(), "the connection notifies it of the end");
    }

    /** A program over librdmacm that waits for space notices the end of its connection only when it sends. */
    @Test
    void peerWaitsForSpace_reset_isGrantedSpaceFirst() {
        EnginePair pair = EnginePair.connected();
        while (write(pair.server, "unread bytes") > 0) {
            pair.settle();
        }
        int posted = pair.server.posted;
        pair.client.engine.reset();
        while (pair.step(pair.client)) {}
        pair.server.post();
        assertTrue(pair.server.posted > posted, "it sends, and the connection reports its end");
        assertEquals(StreamState.OPEN, pair.server.engine.state());
    }

    /** Without the message, a program over librdmacm waits in its own close. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everythingSent_resetToLibrdmacm_notifiesThePeer(boolean infiniband) {
        EnginePair pair =
                new EnginePair(plain(infiniband), plain(infiniband)).connectWithoutExtensions(ConnectData.HAS_MAP);
        write(pair.client, "all");
        pair.client.engine.reset();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertTrue(pair.client.engine.disconnected());
        assertEquals(StreamState.PEER_GONE, pair.server.engine.state());
        assertEquals("all", read(pair.server));
        assertTrue(pair.server.engine.inputEnded());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bytesDropped_resetToLibrdmacm_doesNotNotifyThePeer(boolean infiniband) {
        EnginePair pair =
                new EnginePair(plain(infiniband), plain(infiniband)).connectWithoutExtensions(ConnectData.HAS_MAP);
        while (write(pair.client, "too much for the peer") > 0) {}
        pair.client.engine.reset();
        while (pair.step(pair.client)) {}
        assertFalse(pair.client.engine.disconnected());
        assertFalse(pair.server.engine.inputEnded(), "it does not take a part for the whole");
    }

    /** Two Verbenas without immediate data: the end of the stream would be read where TCP reads "Connection reset". */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everythingSent_resetToVerbena_isNoEndOfTheStream(boolean infiniband) {
        EnginePair pair = new EnginePair(plain(infiniband), plain(infiniband)).connect();
        write(pair.client, "all");
        pair.client.engine.reset();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertFalse(pair.client.engine.disconnected());
        assertEquals("all", read(pair.server));
        assertFalse(pair.server.engine.inputEnded());
        pair.server.engine.onConnectionEnded("The connection was reset.");
        assertEquals(StreamState.LOST, pair.server.engine.state());
    }

    @Test
    void nothingSent_reset_isClosedAtOnce() {
        EnginePair pair = EnginePair.connected();
        pair.client.engine.reset();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
    }

    /** That the work is complete does not mean that it has arrived. */
    @Test
    void everythingSent_reset_waitsForTheConfirmation() {
        EnginePair pair = EnginePair.connected();
        write(pair.client, "sent");
        pair.settle();
        pair.client.engine.reset();
        assertEquals(StreamState.CLOSING, pair.client.engine.state());
        while (pair.step(pair.client)) {}
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals("sent", read(pair.server));
    }

    @Test
    void bothClose_atTheSameTime_bothAreClosed() {
        EnginePair pair = EnginePair.connected();
        pair.client.engine.close();
        pair.server.engine.close();
        pair.settle();
        assertEquals(StreamState.CLOSED, pair.client.engine.state());
        assertEquals(StreamState.CLOSED, pair.server.engine.state());
    }

    @Test
    void shutdownInput_peerWrites_bytesAreDropped_andThePeerIsNotStopped() {
        EnginePair pair = EnginePair.connected();
        pair.server.engine.shutdownInput();
        int sent = 0;
        for (int i = 0; i < 50; i++) {
            sent += write(pair.client, "z".repeat(60));
            pair.settle();
        }
        assertTrue(sent > 2000, "the writer continues");
        assertTrue(pair.server.engine.inputEnded());
        assertEquals("", read(pair.server));
    }

    @Test
    void connectionEnds_withoutADisconnect_isALoss_afterWhatHasArrived() {
        EnginePair pair = EnginePair.connected();
        write(pair.client, "half");
        pair.settle();
        pair.server.engine.onConnectionEnded("The connection was reset.");
        assertEquals(StreamState.LOST, pair.server.engine.state());
        assertEquals("half", read(pair.server));
        assertFalse(pair.server.engine.inputEnded());
        assertEquals("The connection was reset.", pair.server.engine.reason());
    }

    /** From a seed on, the application puts bytes into the buffers and takes them out as channels do. */
    private static final long FIRST_WITH_CHANNELS = 21;

    private static int put(StreamEngine engine, ByteBuffer source, boolean channels) {
        if (!channels) {
            return engine.write(source);
        }
        ByteBuffer space = engine.space(source.remaining());
        int bytes = space.remaining();
        space.put(source.slice(source.position(), bytes));
        engine.filled(bytes);
        return bytes;
    }

    private static int take(StreamEngine engine, ByteBuffer target, boolean channels) {
        if (!channels) {
            return engine.read(target);
        }
        ByteBuffer arrived = engine.arrived();
        int bytes = Math.min(arrived.remaining(), target.remaining());
        target.put(arrived.limit(arrived.position() + bytes));
        engine.taken(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                29, 30
            })
    void anySchedule_everyByteArrivesOnceAndInOrder(long seed) {
        Random random = new Random(seed);
        StreamSettings ours = settings(random);
        StreamSettings theirs = settings(random);
        EnginePair pair = new EnginePair(ours, theirs).connect();
        byte[][] sent = {new byte[20_000], new byte[20_000]};
        byte[][] received = {new byte[20_000], new byte[20_000]};
        random.nextBytes(sent[0]);
        random.nextBytes(sent[1]);
        int[] written = new int[2];
        int[] read = new int[2];
        boolean channels = seed >= FIRST_WITH_CHANNELS;
        EnginePair.Side[] sides = {pair.client, pair.server};
        for (int turn = 0; read[0] < 20_000 || read[1] < 20_000; turn++) {
            assertTrue(turn < 1_000_000, "seed " + seed + " makes progress");
            int i = random.nextInt(2);
            EnginePair.Side side = sides[i];
            switch (random.nextInt(3)) {
                case 0 -> {
                    int most = Math.min(20_000 - written[i], 1 + random.nextInt(700));
                    written[i] += put(side.engine, ByteBuffer.wrap(sent[i], written[i], most), channels);
                }
                case 1 -> {
                    int most = Math.min(20_000 - read[i], 1 + random.nextInt(700));
                    read[i] += take(side.engine, ByteBuffer.wrap(received[i], read[i], most), channels);
                }
                default -> pair.step(side);
            }
        }
        org.junit.jupiter.api.Assertions.assertArrayEquals(sent[0], received[1]);
        org.junit.jupiter.api.Assertions.assertArrayEquals(sent[1], received[0]);
        pair.client.engine.release();
        pair.server.engine.release();
        assertEquals(1, pair.client.open.size(), "only the table is left");
    }

    @ParameterizedTest
    @CsvSource({"63, 64", "64, 256"})
    void channelThatFillsTheSendBuffer_makesItGrow_andASmallerOneDoesNot(int bytes, int after) {
        EnginePair pair = EnginePair.connected();
        for (int i = 0; i < 3; i++) {
            assertTrue(pair.client.engine.space(1000).hasRemaining());
            pair.client.engine.filled(i == 0 ? bytes : 0);
            pair.settle();
            pair.server.engine.taken(pair.server.engine.arrived().remaining());
            pair.settle();
        }
        assertEquals(after, pair.client.engine.sendBufferBytes());
    }

    private static StreamSettings settings(Random random) {
        int initial = 2 * (1 + random.nextInt(200));
        return new StreamSettings(
                2 + random.nextInt(20),
                16 + random.nextInt(20),
                initial,
                initial * (1 + random.nextInt(20)),
                random.nextBoolean(),
                false);
    }
}
