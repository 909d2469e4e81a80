package io.verbena.rnic.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.engine.RnicEngine;
import io.verbena.fixture.MemoryPipe;
import io.verbena.fixture.MemoryStream;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A connection in RDMA mode and its stream: what one turn of the engine moves, what happens to the rest of a frame that
 * was taken in part, and which failures of the stream end the connection how.
 */
class RdmaStageTest {

    /** A frame with 32 KiB of a Send: length, untagged DDP header, payload, CRC (RFC 5044 section 3, RFC 5041 section 4.2). */
    private static final int SEND_FRAME_BYTES = 2 + 18 + 32 * 1024 + 4;

    private static final int TURN_BYTES = RnicEngine.BYTE_BUDGET;
    private static final long SECOND_NS = 1_000_000_000L;

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** A connection over streams that take 4 MiB in each direction. */
    private Pair wide() throws IOException {
        world.network.pipeBytes = 4 << 20;
        return new Pair(world).connect();
    }

    private MemoryStream stream(Connection connection) {
        return world.network.streams.stream()
                .filter(each -> each.localAddress().equals(connection.localAddress()))
                .findFirst()
                .orElseThrow();
    }

    private void turn(Pair.Side side) {
        world.network.poll();
        side.rnic.engine(0).turn(world.nowNs);
    }

    /** The process of the second side stops; its stream stays open. */
    private static void stopB(Pair pair) {
        pair.world.hang(pair.b.rnic, pair.fromB.localAddress());
    }

    // What one turn moves.

    @Test
    void muchToSend_oneTurn_sendsItsBudgetAndContinuesInTheNext() throws IOException {
        Pair pair = wide();
        MemoryPipe out = stream(pair.fromA).out();
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 1 << 20, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        for (int before = 0, turns = 0; turns < 3; turns++) {
            turn(pair.a);
            int sent = out.size() - before;
            assertTrue(sent >= TURN_BYTES && sent <= TURN_BYTES + SEND_FRAME_BYTES, "sent " + sent);
            assertTrue(pair.a.rnic.engine(0).hasWork(), "the rest follows without an event");
            before = out.size();
        }
        assertEquals(List.of(), pair.a.polled());
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    @Test
    void muchToReceive_oneTurn_readsItsBudgetAndContinuesInTheNext() throws IOException {
        Pair pair = wide();
        MemoryPipe in = stream(pair.fromB).in();
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 1 << 20, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        for (int i = 0; i < 5; i++) {
            turn(pair.a);
        }
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        for (int before = in.size(), turns = 0; turns < 3; turns++) {
            pair.b.rnic.engine(0).ready(pair.b.queuePair.endpoint());
            pair.b.rnic.engine(0).turn(world.nowNs);
            int read = before - in.size();
            assertTrue(read >= TURN_BYTES && read <= TURN_BYTES + SEND_FRAME_BYTES, "read " + read);
            assertTrue(pair.b.rnic.engine(0).hasWork(), "the rest follows without an event");
            before = in.size();
        }
    }

    @Test
    void streamReadsIntoTwoBuffers_oneTurn_readsNoMoreThanItsBudget() throws IOException {
        world.network.pipeBytes = 4 << 20;
        RnicOptions options =
                RnicOptions.defaults().withCrc(false).withIwarp(it -> it.withMaxFpduPayloadBytes(12 * 1024));
        Pair pair = new Pair(world, options, 64, each -> each).connect();
        MemoryStream far = stream(pair.fromB);
        far.gathers(true);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 1 << 20, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        for (int i = 0; i < 5; i++) {
            turn(pair.a);
        }
        for (int before = far.in().size();
                before > TURN_BYTES;
                before = far.in().size()) {
            turn(pair.b);
            assertEquals(TURN_BYTES, before - far.in().size());
        }
    }

    @Test
    void budgetIsUsedExactly_theRestFollowsInTheNextTurn() throws IOException {
        Pair pair = wide();
        MemoryPipe out = stream(pair.fromA).out();
        int whole = TURN_BYTES / SEND_FRAME_BYTES;
        int rest = TURN_BYTES - whole * SEND_FRAME_BYTES - (SEND_FRAME_BYTES - 32 * 1024);
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(1, pair.a.memory, 0, whole * 32 * 1024, WrFlags.UNSIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, rest, WrFlags.SIGNALLED);
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        pair.a.queuePair.ringDoorbell();
        turn(pair.a);
        assertEquals(TURN_BYTES, out.size());
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        turn(pair.a);
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
    }

    @Test
    void readRequestArrives_itsResponseLeavesInTheSameTurn() throws IOException {
        Pair pair = wide();
        MemoryPipe out = stream(pair.fromB).out();
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 1000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        turn(pair.a);
        turn(pair.b);
        assertTrue(out.size() > 1000, "sent " + out.size());
        turn(pair.a);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    @Test
    void workAndResponses_oneTurn_shareItsBudget() throws IOException {
        Pair pair = wide();
        MemoryPipe out = stream(pair.fromB).out();
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 1 << 19, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        turn(pair.a);
        int posted = TURN_BYTES / 2;
        pair.b.queuePair.postWrite(2, pair.b.memory, 0, posted, pair.a.memory.remote(), 1 << 19, WrFlags.SIGNALLED);
        turn(pair.b);
        assertTrue(out.size() >= TURN_BYTES && out.size() <= TURN_BYTES + SEND_FRAME_BYTES, "sent " + out.size());
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
    }

    @Test
    void readIsShort_theResponseLeavesBeforeTheStreamIsReadAgain() throws IOException {
        Pair pair = wide();
        MemoryStream far = stream(pair.fromB);
        far.tear(500);
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(2, pair.a.memory, 100, 5000, pair.b.memory.remote(), 100, WrFlags.SIGNALLED);
        turn(pair.a);
        int arrived = far.in().size();
        turn(pair.b);
        assertEquals(500, arrived - far.in().size());
        assertTrue(far.out().size() > 0, "the response");
        assertTrue(pair.b.rnic.engine(0).hasWork(), "the rest is read without an event");
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    // Frames that the stream takes in part.

    @Test
    void frameTakenInPart_itsWorkCompletesWithItsLastByte() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.fill(3);
        pair.b.queuePair.postReceive(9, pair.b.memory, 0, 1000);
        MemoryPipe out = stream(pair.fromA).out();
        MemoryStream far = stream(pair.fromB);
        stopB(pair);
        out.capacity(600);
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 1000, WrFlags.SIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(600, out.size());
        assertEquals(List.of(), pair.a.polled());
        assertFalse(pair.a.rnic.engine(0).hasWork(), "a full stream is not tried again and again");
        out.capacity(1023);
        world.settle();
        assertEquals(1023, out.size());
        assertEquals(List.of(), pair.a.polled());
        out.capacity(1024);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        out.capacity(2000);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        world.network.streams.add(far);
        world.environments.add(ManualEnvironment.of(pair.b.rnic));
        world.settle();
        assertEquals(List.of("9 SUCCESS"), pair.b.polled().subList(0, 1));
        assertArrayEquals(
                pair.a.memory.segment().asSlice(0, 1000).toArray(JAVA_BYTE),
                pair.b.memory.segment().asSlice(0, 1000).toArray(JAVA_BYTE));
    }

    // The time for a graceful close.

    /** The peer has closed its direction while this side has work for 100,000 bytes; it reads nothing any more. */
    private Pair peerClosedAndStopped() throws IOException {
        Pair pair = new Pair(world).connect(ConnectionOptions.defaults().withKeepAlive(Duration.ZERO));
        pair.b.queuePair.postReceive(9, pair.b.memory, 0, 200_000);
        stream(pair.fromA).out().capacity(0);
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        pair.fromB.disconnect();
        world.settle();
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        stopB(pair);
        return pair;
    }

    @Test
    void peerClosed_itTakesBytesNowAndThen_eachTimeExtendsTheClose() throws IOException {
        Pair pair = peerClosedAndStopped();
        MemoryPipe out = stream(pair.fromA).out();
        assertEquals(0, out.size());
        // A new frame begins, a frame is completed, a frame is completed and the next one begins.
        for (int bytes : new int[] {1, SEND_FRAME_BYTES, SEND_FRAME_BYTES + 1}) {
            world.advance(4 * SECOND_NS);
            assertEquals(ConnectionState.CLOSING, pair.fromA.state());
            out.capacity(bytes);
            world.settle();
            assertEquals(bytes, out.size());
        }
        world.advance(5 * SECOND_NS - 1_000_000);
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        world.advance(1_000_000);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
        world.advance(SECOND_NS);
        assertEquals("The peer closed its side and did not accept the remaining data in time.", pair.fromA.reason());
    }

    @Test
    void peerClosed_itTakesNothing_theCloseEndsAfterItsTime() throws IOException {
        Pair pair = peerClosedAndStopped();
        world.advance(4 * SECOND_NS);
        // The system reports that the stream is writable, and then takes nothing.
        MemoryPipe out = stream(pair.fromA).out();
        out.capacity(1);
        world.network.poll();
        out.capacity(0);
        world.advance(SECOND_NS - 1_000_000);
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        assertEquals(List.of(), pair.a.polled());
        world.advance(1_000_000);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
    }

    @Test
    void disconnected_peerDoesNotClose_theReasonSaysSo() throws IOException {
        Pair pair = new Pair(world).connect(ConnectionOptions.defaults().withKeepAlive(Duration.ZERO));
        stopB(pair);
        pair.fromA.disconnect();
        world.advance(4_999_000_000L);
        assertEquals(ConnectionState.CLOSING, pair.fromA.state());
        world.advance(1_000_000);
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals("The peer did not close its side in time.", pair.fromA.reason());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(pair.a.rnic));
    }

    // Peers that are silent.

    @Test
    void peerStops_streamIsFullAndADelayEnds_theKeepAliveFindsIt() throws IOException {
        Pair pair = new Pair(world).connect(ConnectionOptions.defaults().withKeepAlive(Duration.ofSeconds(10)));
        pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .delay(SECOND_NS)
                .flags(WrFlags.SIGNALLED)
                .id(1));
        turn(pair.a);
        stream(pair.fromA).out().capacity(100);
        pair.b.queuePair.postRead(2, pair.b.memory, 0, 1000, pair.a.memory.remote(), 0, WrFlags.SIGNALLED);
        turn(pair.b);
        stopB(pair);
        world.settle();
        assertEquals(100, stream(pair.fromA).out().size(), "the response is sent in part");
        world.advance(2 * SECOND_NS);
        assertTrue(pair.a.rnic.engine(0).nextDeadlineNs() - world.nowNs > SECOND_NS, "the engine sleeps");
        world.advance(7 * SECOND_NS);
        assertEquals(List.of(), pair.a.polled());
        world.advance(5 * SECOND_NS);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(pair.a.rnic));
    }

    @Test
    void keepAlive_isAlsoRequestedFromTheSystem() throws IOException {
        Pair pair = new Pair(world).connect(ConnectionOptions.defaults().withKeepAlive(Duration.ofSeconds(10)));
        assertEquals(10 * SECOND_NS, stream(pair.fromA).keepAliveNs());
        assertEquals(30 * SECOND_NS, stream(pair.fromB).keepAliveNs(), "the default");
    }

    @Test
    void peerStopsAfterTheSetUp_streamIsFull_theKeepAliveFindsIt() throws IOException {
        Pair pair = new Pair(world);
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        ConnectionOptions options = ConnectionOptions.defaults()
                .withRevision(1)
                .withPeerToPeer(false)
                .withKeepAlive(Duration.ofSeconds(10));
        pair.fromA = pair.a.rnic.startConnect(pair.a.queuePair, address, options);
        world.settle();
        MemoryStream peer = accepted.getFirst();
        peer.write(IwarpConnectTest.direct("MPA ID Rep Frame\0\1\0\0".getBytes(StandardCharsets.ISO_8859_1)));
        peer.in().capacity(peer.in().size() + 100);
        world.settle();
        assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 1000, WrFlags.SIGNALLED);
        world.advance(9 * SECOND_NS);
        assertEquals(List.of(), pair.a.polled());
        world.advance(5 * SECOND_NS);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(pair.a.rnic));
    }

    // Failures of the stream.

    @Test
    void systemGivesUpThePeer_isALostConnection() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        stream(pair.fromA).fail(new StreamException(Reason.PEER_SILENT, "Connection timed out"));
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 CONNECTION_LOST", "1 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(pair.a.rnic));
        assertEquals("The peer has vanished: The connection broke: Connection timed out.", pair.fromA.reason());
    }

    @Test
    void localMemoryIsGoneWhileItIsSent_itsWorkFailsAndTheReasonSaysWhy() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults().withCrc(false), 64, each -> each).connect();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        stream(pair.fromA).fail(new StreamException(Reason.MEMORY_GONE, "Bad address"));
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 20_000, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 LOCAL_MEMORY", "1 FLUSHED"), pair.a.polled());
        assertEquals(List.of(AsyncEventType.QP_FATAL), ManualWorld.events(pair.a.rnic));
        assertEquals(
                "We ended the connection. Local memory was released while it was in use: Bad address.",
                pair.fromA.reason());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    // Full completion queues.

    @Test
    void completionQueueOverflows_thatSideAborts_andThePeerIsNotified() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, each -> each).connect();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        for (int i = 0; i < 3; i++) {
            pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        }
        world.settle();
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        assertEquals("A completion queue of this queue pair overflowed.", pair.fromB.reason());
        assertEquals(List.of(AsyncEventType.CQ_OVERFLOW), ManualWorld.events(pair.b.rnic));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), pair.b.polled());
        world.advance(1_000_000);
        assertEquals(1, pair.b.polled().size());
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic), "reported once");
    }

    @Test
    void completionsOfSendsOverflow_thatSideAborts() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 2, each -> each).connect();
        for (int i = 0; i < 4; i++) {
            pair.a.queuePair.postWrite(i, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        }
        world.settle();
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), pair.a.polled());
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals("A completion queue of this queue pair overflowed.", pair.fromA.reason());
        assertEquals(List.of(AsyncEventType.CQ_OVERFLOW), ManualWorld.events(pair.a.rnic));
    }

    @Test
    void abortedTwice_theFirstReasonRemains() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        pair.fromA.close();
        assertEquals("The application moved the queue pair to ERROR.", pair.fromA.reason());
    }
}
