package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.iwarp.startup.InitiatorStartUp;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.port.ByteStream;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream in use is converted to RDMA mode, and no byte around the conversion is lost, misread or read twice. */
class ConversionTest {

    private static final byte[] NOTHING = {};

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);
    private final MemoryStream left;
    private final MemoryStream right;
    private Optional<byte[]> returned = Optional.empty();

    ConversionTest() {
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        left = world.network.dial(address);
        right = accepted.getFirst();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Streaming mode: the application writes. */
    private static void say(MemoryStream stream, byte[] message) throws IOException {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(message.length).put(message).flip();
        stream.write(buffer);
        assertFalse(buffer.hasRemaining());
    }

    /** Streaming mode: the application reads the available bytes, up to a limit. */
    private static byte[] hear(MemoryStream stream, int most) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(most);
        stream.read(buffer);
        byte[] heard = new byte[buffer.flip().remaining()];
        buffer.get(heard);
        return heard;
    }

    private Connection initiate(byte[] alreadyRead, byte[] last) {
        return IwarpTransport.takeOver(
                pair.a.queuePair,
                left,
                StreamConversion.asInitiator().withAlreadyRead(alreadyRead).withLastStreamMessage(last),
                this::giveBack);
    }

    private Connection respond(byte[] alreadyRead, byte[] last) {
        return IwarpTransport.takeOver(
                pair.b.queuePair,
                right,
                StreamConversion.asResponder().withAlreadyRead(alreadyRead).withLastStreamMessage(last),
                this::giveBack);
    }

    private Optional<ReturnedStream> giveBack(ByteStream stream, byte[] following) {
        returned = Optional.of(following);
        return Optional.empty();
    }

    private void exchange(Connection a, Connection b) throws IOException {
        a.awaitEstablished(Pair.SECOND);
        b.awaitEstablished(Pair.SECOND);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 64);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 64);
        pair.a.queuePair.postSend(3, pair.a.memory, 100, 64, WrFlags.SIGNALLED);
        pair.b.queuePair.postSend(4, pair.b.memory, 100, 64, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("3 SUCCESS", "1 SUCCESS"), pair.a.polled());
        assertEquals(
                List.of("4 SUCCESS", "2 SUCCESS"),
                pair.b.polled().stream().sorted().toList().reversed());
        a.disconnect();
        assertTrue(a.awaitClosed(Pair.SECOND) && b.awaitClosed(Pair.SECOND));
        assertEquals(ConnectionState.CLOSED, a.state());
        assertEquals(ConnectionState.CLOSED, b.state());
    }

    // RFC 5044 section 7.1.3: delayed start-up, with the last streaming message of the responder (7.1.5).
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 20, Integer.MAX_VALUE})
    void streaming_delayedStart_convertsToRdma(int piece) throws IOException {
        say(left, bytes("hello"));
        assertArrayEquals(bytes("hello"), hear(right, 100));
        say(left, bytes("let us switch"));
        assertArrayEquals(bytes("let us switch"), hear(right, 100));
        left.tear(piece);
        right.tear(piece);
        Connection b = respond(NOTHING, bytes("go ahead"));
        world.settle();
        // The streaming code of the initiator reads the last message and nothing after it.
        StringBuilder heard = new StringBuilder();
        while (left.in().size() > 0) {
            heard.append(new String(hear(left, 100), StandardCharsets.US_ASCII));
        }
        assertEquals("go ahead", heard.toString());
        exchange(initiate(NOTHING, NOTHING), b);
    }

    // RFC 5044 section 7.1.4: immediate start-up; either side may be first.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fresh_immediateStart_eitherSideFirst(boolean initiatorFirst) throws IOException {
        Connection a;
        Connection b;
        if (initiatorFirst) {
            a = initiate(NOTHING, NOTHING);
            world.settle();
            b = respond(NOTHING, NOTHING);
        } else {
            b = respond(NOTHING, NOTHING);
            world.settle();
            a = initiate(NOTHING, NOTHING);
        }
        exchange(a, b);
    }

    @Test
    void applicationReadTooFar_bytesArePassedOn() throws IOException {
        Connection a = initiate(NOTHING, bytes("last words"));
        world.settle();
        // The streaming code takes all available bytes: the streaming message and half of the MPA Request.
        byte[] taken = hear(right, 10 + 17);
        assertEquals("last words", new String(taken, 0, 10, StandardCharsets.US_ASCII));
        byte[] ahead = Arrays.copyOfRange(taken, 10, taken.length);
        exchange(a, respond(ahead, NOTHING));
    }

    @Test
    void everyCut_ofBytesAlreadyRead_hasTheSameResult() throws IOException {
        Connection a = initiate(NOTHING, NOTHING);
        world.settle();
        byte[] request = hear(right, 1000);
        exchange(a, respond(request, NOTHING));
    }

    // RFC 5044 section 7.1.2 [4, 7]: after a rejection the stream is in streaming mode again on both sides.
    @Test
    void requestRejected_bothStreamsAreUsable() throws IOException {
        StreamConversion no =
                StreamConversion.asResponder().withRejection(privateData -> Optional.of(bytes("not today")));
        Connection b = IwarpTransport.takeOver(pair.b.queuePair, right, no, this::giveBack);
        world.settle();
        Connection a = initiate(NOTHING, NOTHING);
        world.settle();
        assertEquals(ConnectionState.REJECTED, a.state());
        assertEquals(ConnectionState.REJECTED, b.state());
        assertEquals("not today", new String(a.privateData(), StandardCharsets.US_ASCII));
        assertTrue(returned.isPresent());
        say(left, bytes("as you like"));
        assertArrayEquals(bytes("as you like"), hear(right, 100));
        say(right, bytes("later"));
        assertArrayEquals(bytes("later"), hear(left, 100));
        assertEquals(0, pair.a.rnic.engine(0).members() + pair.b.rnic.engine(0).members());
        // A later conversion succeeds.
        exchange(initiate(NOTHING, NOTHING), respond(NOTHING, NOTHING));
    }

    @Test
    void bytesAfterTheRejection_areReturned() throws IOException {
        StreamConversion no = StreamConversion.asResponder().withRejection(privateData -> Optional.of(NOTHING));
        IwarpTransport.takeOver(pair.b.queuePair, right, no, (stream, following) -> {
            // Streaming data in the same piece as the Reply.
            say((MemoryStream) stream, bytes("still here"));
            return Optional.empty();
        });
        Connection a = initiate(NOTHING, NOTHING);
        world.settle();
        assertEquals(ConnectionState.REJECTED, a.state());
        byte[] rest = hear(left, 100);
        assertEquals(
                "still here",
                new String(returned.orElseThrow(), StandardCharsets.US_ASCII)
                        + new String(rest, StandardCharsets.US_ASCII));
    }

    @Test
    void filterThrows_requestIsRejected() {
        StreamConversion bad = StreamConversion.asResponder().withRejection(privateData -> {
            throw new IllegalStateException("a filter that throws in this test");
        });
        Connection b = IwarpTransport.takeOver(pair.b.queuePair, right, bad, this::giveBack);
        Connection a = initiate(NOTHING, NOTHING);
        world.settle();
        assertEquals(ConnectionState.REJECTED, a.state());
        assertEquals(ConnectionState.REJECTED, b.state());
    }

    // RFC 5044 section 7.1.2 [10]: two initiators detect each other.
    @Test
    void twoInitiators_bothFailAtOnce() {
        Connection a = initiate(NOTHING, NOTHING);
        Connection b = IwarpTransport.takeOver(pair.b.queuePair, right, StreamConversion.asInitiator(), this::giveBack);
        world.settle();
        assertEquals(ConnectionState.FAILED, a.state());
        assertEquals(ConnectionState.FAILED, b.state());
        // One of them may see the reset of the other first.
        assertTrue((a.reason() + b.reason()).contains("both sides started"), a.reason());
        assertTrue(left.closed() && right.closed());
        assertEquals(IwarpQueuePairState.IDLE, pair.a.queuePair.state());
    }

    // RFC 5044 section 7.1.2, rule 8: two responders time out.
    @Test
    void twoResponders_timeOut() {
        ConnectionOptions soon = ConnectionOptions.defaults().withTimeout(Duration.ofMillis(300));
        Connection a = IwarpTransport.takeOver(
                pair.a.queuePair, left, StreamConversion.asResponder().withOptions(soon), this::giveBack);
        Connection b = IwarpTransport.takeOver(
                pair.b.queuePair, right, StreamConversion.asResponder().withOptions(soon), this::giveBack);
        world.advance(400_000_000L);
        assertEquals(ConnectionState.FAILED, a.state());
        assertEquals(ConnectionState.FAILED, b.state());
        assertTrue(left.closed() && right.closed());
    }

    // FPDUs or other bytes before the Reply.
    @Test
    void bytesAfterTheRequest_beforeTheReply_failTheResponder() throws IOException {
        InitiatorStartUp startUp = new InitiatorStartUp(StartUpOptions.defaults());
        startUp.start(0);
        byte[] early = new byte[startUp.transmitPendingBytes() + 4];
        startUp.fillTransmit(MemorySegment.ofArray(early), 0, early.length - 4);
        say(left, early);
        Connection b = respond(NOTHING, NOTHING);
        world.settle();
        assertEquals(ConnectionState.FAILED, b.state());
        assertTrue(right.closed());
    }

    @Test
    void lateStreamingByte_atTheInitiator_failsIt() throws IOException {
        say(right, bytes("one more thing"));
        Connection a = initiate(NOTHING, NOTHING);
        world.settle();
        assertEquals(ConnectionState.FAILED, a.state());
    }

    @Test
    void queuePairInUse_takeOver_isRejectedAndTheStreamIsUnchanged() throws IOException {
        Connection a = initiate(NOTHING, NOTHING);
        MemoryStream other = left;
        assertThrows(
                IllegalStateException.class,
                () -> IwarpTransport.takeOver(pair.a.queuePair, other, StreamConversion.asInitiator(), this::giveBack));
        exchange(a, respond(NOTHING, NOTHING));
    }

    @Test
    void tooManyBytesAlreadyRead_isRejectedAtOnce() {
        byte[] much = new byte[StreamConversion.MOST_BYTES + 1];
        assertThrows(
                IllegalArgumentException.class,
                () -> StreamConversion.asResponder().withAlreadyRead(much));
    }

    // The RDMA Consortium's verbs: a queue pair whose connection ended goes back to IDLE and is connected again.
    @Test
    void ended_movedToIdle_isConnectedAgain() throws IOException {
        exchange(initiate(NOTHING, NOTHING), respond(NOTHING, NOTHING));
        for (int round = 0; round < 3; round++) {
            for (Pair.Side side : List.of(pair.a, pair.b)) {
                side.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE));
                assertEquals(IwarpQueuePairState.IDLE, side.queuePair.state());
                assertThrows(
                        IllegalStateException.class,
                        () -> side.queuePair.postSend(9, side.memory, 0, 8, WrFlags.SIGNALLED));
            }
            pair.connect();
            pair.a.queuePair.postReceive(1, pair.a.memory, 0, 64);
            pair.b.queuePair.postSend(4, pair.b.memory, 100, 64, WrFlags.SIGNALLED);
            pair.a.queuePair.postRead(5, pair.a.memory, 0, 64, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
            world.settle();
            assertEquals(
                    List.of("1 SUCCESS", "5 SUCCESS"),
                    pair.a.polled().stream().sorted().toList());
            assertEquals(List.of("4 SUCCESS"), pair.b.polled());
            pair.a.queuePair.postReceive(6, pair.a.memory, 0, 64);
            // In turn: a graceful close, an error, a broken stream.
            switch (round) {
                case 0 -> pair.fromA.disconnect();
                case 1 -> pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
                default -> world.network.streams.forEach(MemoryStream::reset);
            }
            world.advance(5_000_000_000L);
            assertEquals(List.of("6 FLUSHED"), pair.a.polled());
            pair.a.queuePair.postReceive(7, pair.a.memory, 0, 64);
            world.settle();
            assertEquals(List.of("7 FLUSHED"), pair.a.polled());
        }
    }

    @Test
    void connectedOrBusy_movedToIdle_isRefused() throws IOException {
        pair.connect();
        assertThrows(
                IllegalStateException.class,
                () -> pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.IDLE)));
    }
}
