package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransmitList;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.fixture.StillEnvironment;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A stream of the system as an engine uses it: readiness, back-pressure, frames that are sent in part, faults, the end. */
class ConnectionStreamTest {

    private final ScriptedSocket socket = new ScriptedSocket();
    private final RnicEngine engine = new RnicEngine(
            0,
            new StillEnvironment() {
                @Override
                public StreamLoop streams(int index) {
                    return socket;
                }
            },
            (which, why) -> {
                throw new AssertionError(why);
            });
    private int services;
    private final Endpoint owner = new Endpoint() {
        @Override
        protected void service(long nowNs) {
            services++;
        }

        @Override
        protected void onBug(String sentence, long nowNs) {
            throw new AssertionError(sentence);
        }

        @Override
        protected long stateDigest() {
            return 0;
        }
    };
    private final ConnectionStream stream = new ConnectionStream(engine, socket, owner);
    private final ByteBuffer target = ByteBuffer.allocateDirect(100);

    ConnectionStreamTest() {
        engine.join(owner);
    }

    /** How often the owner is served in the next turn of the engine. */
    private int served() {
        int before = services;
        engine.turn(1);
        return services - before;
    }

    private int read() {
        return stream.read(target.clear(), 0);
    }

    // Receiving.

    @Test
    void readable_remainsSo_untilAReadReturnsNothing() {
        assertEquals(0, read());
        assertFalse(stream.readable());
        socket.events().onReadable();
        assertTrue(stream.readable());
        assertEquals(1, served());
        socket.readable = 100;
        assertEquals(100, read());
        assertFalse(stream.shortRead());
        assertTrue(stream.readable());
        socket.readable = 40;
        assertEquals(40, read());
        assertTrue(stream.shortRead());
        assertTrue(stream.readable(), "a short read is not all that there is");
        assertEquals(0, read());
        assertFalse(stream.readable());
    }

    @Test
    void shortReadIsAll_ofAStreamThatSaysSo() {
        socket.shortReadIsAll = true;
        socket.events().onReadable();
        socket.readable = 100;
        assertEquals(100, read());
        assertTrue(stream.readable(), "the buffer was full");
        socket.readable = 99;
        assertEquals(99, read());
        assertFalse(stream.readable());
    }

    @Test
    void readIntoTwoBuffers_isShort_ifBothCouldHoldMore() {
        ByteBuffer second = ByteBuffer.allocateDirect(50);
        socket.gathers = true;
        assertTrue(stream.gathers());
        socket.readable = 150;
        assertEquals(150, stream.read(target, 0, second, 0));
        assertFalse(stream.shortRead());
        socket.readable = 149;
        assertEquals(149, stream.read(target.clear(), 0, second.clear(), 0));
        assertTrue(stream.shortRead());
        socket.gathers = false;
        assertFalse(stream.gathers());
        socket.readable = 150;
        assertEquals(100, stream.read(target.clear(), 0, second.clear(), 0));
        assertFalse(stream.shortRead(), "the second buffer does not count");
    }

    @Test
    void endOfStream_isReturnedOnce_andReadinessIsNotWantedAnyMore() {
        socket.events().onReadable();
        socket.readable = ByteStream.END;
        assertEquals(ByteStream.END, read());
        assertFalse(stream.readable());
        assertEquals(List.of("wantReadable false"), socket.takeCalls());
        socket.events().onReadable();
        stream.wantReadable(true);
        assertFalse(stream.readable());
        assertEquals(List.of(), socket.takeCalls());
    }

    @Test
    void backPressure_passesToTheStream_untilItIsClosed() {
        read();
        stream.wantReadable(false);
        assertFalse(stream.readable());
        stream.wantReadable(true);
        assertTrue(stream.readable(), "bytes may have arrived in the meantime");
        assertEquals(List.of("wantReadable false", "wantReadable true"), socket.takeCalls());
        stream.close(false);
        socket.takeCalls();
        stream.wantReadable(true);
        socket.events().onReadable();
        socket.events().onWritable();
        assertFalse(stream.readable());
        assertEquals(List.of(), socket.takeCalls());
    }

    @Test
    void segments_areReceivedFromAStreamThatDeliversThem() throws IOException {
        assertTrue(stream.deliversSegments());
        assertEquals(1448, stream.segmentBytes());
        read();
        stream.deliverSegments(24);
        assertEquals(List.of("deliverSegments 24"), socket.takeCalls());
        assertTrue(stream.readable());
        socket.readable = 70;
        assertEquals(70, stream.receive(new NoSegments(), 100));
        assertTrue(stream.shortRead());
        socket.failure = Optional.of(new IOException("gone"));
        assertEquals(0, stream.receive(new NoSegments(), 100));
        assertEquals("The connection broke: gone.", stream.fault());
    }

    // Sending.

    @Test
    void frameSentInPart_itsRestIsTheTail_andGoesFirst() {
        assertTrue(stream.newTail(30).capacity() >= 30);
        socket.accepts = 10;
        stream.sendTail(30);
        assertFalse(stream.drained());
        assertFalse(stream.writable());
        assertFalse(stream.writeTail(), "the stream is not writable yet");
        socket.events().onWritable();
        socket.accepts = 5;
        assertFalse(stream.writeTail());
        socket.events().onWritable();
        assertEquals(1, served());
        socket.accepts = 100;
        assertTrue(stream.writeTail());
        assertTrue(stream.drained());
        assertTrue(stream.writable());
        assertEquals(
                List.of(
                        "wrote 10 of 30",
                        "wantWritable true",
                        "wantWritable false",
                        "wrote 5 of 20",
                        "wantWritable true",
                        "wantWritable false",
                        "wrote 15 of 15"),
                socket.takeCalls());
        assertTrue(stream.writeTail());
        assertEquals(List.of(), socket.takeCalls());
    }

    @Test
    void list_unitsAreCounted_andTheRestOfAPartlySentOneIsTheTail() {
        TransmitList list = new TransmitList(100);
        for (int unit = 0; unit < 3; unit++) {
            list.reserve(10);
            list.endUnit(unit);
        }
        socket.accepts = 30;
        assertEquals(3, stream.write(list));
        assertTrue(stream.writable());
        socket.accepts = 20;
        assertEquals(2, stream.write(list));
        assertTrue(stream.drained(), "it ended between two units");
        assertFalse(stream.writable());
        socket.events().onWritable();
        socket.accepts = 13;
        assertEquals(2, stream.write(list), "the second one is sent in part");
        assertFalse(stream.drained());
        socket.events().onWritable();
        socket.takeCalls();
        socket.accepts = 100;
        assertTrue(stream.writeTail());
        assertEquals(List.of("wrote 7 of 7"), socket.takeCalls());
        socket.accepts = 0;
        assertEquals(0, stream.write(list));
    }

    @Test
    void emptyFrame_leavesNoTail() {
        stream.newTail(10);
        stream.sendTail(0);
        assertTrue(stream.drained());
        assertEquals(List.of(), socket.takeCalls());
    }

    @Test
    void acknowledged_whenTheStreamSaysSo_andNothingIsLeftToSend() {
        assertFalse(stream.acknowledged());
        socket.acknowledged = true;
        assertTrue(stream.acknowledged());
        stream.newTail(10);
        stream.sendTail(10);
        assertFalse(stream.acknowledged(), "a part has not been written");
        stream.close(true);
        assertTrue(stream.acknowledged(), "nothing will be sent any more");
    }

    @Test
    void memoryOfATail_isReturned_whenItIsEmptyOrTheStreamIsClosed() {
        stream.newTail(10);
        assertEquals(1, engine.pool().lent());
        stream.sendTail(0);
        assertEquals(0, engine.pool().lent());
        stream.newTail(10);
        stream.sendTail(10);
        assertEquals(1, engine.pool().lent());
        stream.close(false);
        assertEquals(0, engine.pool().lent());
    }

    // Faults and the end.

    @Test
    void firstFault_isTheReason_andItsKindIsKnown() {
        assertEquals("", stream.fault());
        served();
        socket.failure = Optional.of(new StreamException(Reason.PEER_SILENT, "no answer"));
        assertEquals(0, read());
        assertEquals(1, served(), "the owner acts on the fault");
        assertTrue(stream.peerSilent());
        assertFalse(stream.memoryFault());
        assertFalse(stream.readable());
        assertFalse(stream.writable());
        socket.failure = Optional.of(new IOException("later"));
        read();
        assertEquals("The connection broke: no answer.", stream.fault());
    }

    @Test
    void writeFails_whatThePeerHadSentIsRead_thenItsEndIfItHadEnded() {
        for (Reason reason : Reason.values()) {
            ScriptedSocket ended = new ScriptedSocket();
            ConnectionStream written = new ConnectionStream(engine, ended, owner);
            ended.failure = Optional.of(new StreamException(reason, "no"));
            assertEquals(0, written.write(new TransmitList(8)));
            assertFalse(written.writable());
            assertEquals(reason != Reason.MEMORY_GONE, written.readable(), reason::toString);
            ended.failure = Optional.empty();
            ended.readable = 7;
            assertEquals(7, written.read(target.clear(), 0));
            ended.readable = ByteStream.END;
            int end = written.read(target.clear(), 0);
            assertEquals(reason == Reason.PEER_ENDED ? ByteStream.END : 0, end, "a reset that the write has reported");
            assertFalse(written.readable());
        }
    }

    @Test
    void faultOfLocalMemory_isNotOneOfTheStream() {
        socket.failure = Optional.of(new StreamException(Reason.MEMORY_GONE, "unmapped"));
        assertEquals(0, stream.write(new TransmitList(8)));
        assertTrue(stream.memoryFault());
        assertFalse(stream.peerSilent());
        assertEquals("Local memory was released while it was in use: unmapped.", stream.fault());
    }

    @Test
    void exceptionWithoutAMessage_isNamedByItsClass() {
        socket.failure = Optional.of(new IllegalStateException());
        assertEquals(0, stream.read(target, 0, target, 0));
        assertTrue(stream.memoryFault());
        assertEquals("Local memory was released while it was in use: IllegalStateException.", stream.fault());
    }

    @Test
    void outputIsShutDownOnce_andAFaultOfItIsKept() {
        stream.shutdownOutput();
        stream.shutdownOutput();
        assertEquals(List.of("shutdownOutput"), socket.takeCalls());
        ConnectionStream other = new ConnectionStream(engine, socket, owner);
        socket.failure = Optional.of(new IOException("reset"));
        other.shutdownOutput();
        assertEquals("The connection broke: reset.", other.fault());
    }

    @Test
    void closedOnce_detachesFirst() {
        stream.keepAlive(7);
        assertFalse(stream.closed());
        stream.close(true);
        stream.close(false);
        stream.shutdownOutput();
        assertTrue(stream.closed());
        assertFalse(stream.readable() || stream.writable());
        assertEquals(List.of("keepAlive 7", "detach", "reset"), socket.takeCalls());
    }

    @Test
    void released_isDetachedAndOpen() {
        assertSame(socket, stream.release());
        assertTrue(stream.closed());
        assertEquals(List.of("detach"), socket.takeCalls());
        stream.close(true);
        assertEquals(List.of(), socket.takeCalls());
    }

    @Test
    void addressesAndEngine_areThoseOfTheStream() {
        assertSame(engine, stream.engine());
        assertEquals("", stream.refusal());
        socket.refusal = "the peer runs another version";
        assertEquals(socket.refusal, stream.refusal());
        assertEquals("here", ((InetSocketAddress) stream.localAddress()).getHostString());
        assertEquals("there", ((InetSocketAddress) stream.remoteAddress()).getHostString());
    }

    @Test
    void stateDigest_distinguishesEveryState() {
        Set<Long> digests = new HashSet<>();
        digests.add(stream.stateDigest());
        read();
        digests.add(stream.stateDigest());
        stream.newTail(10);
        stream.sendTail(10);
        digests.add(stream.stateDigest());
        stream.shutdownOutput();
        digests.add(stream.stateDigest());
        socket.readable = ByteStream.END;
        read();
        digests.add(stream.stateDigest());
        socket.failure = Optional.of(new IOException("broken"));
        read();
        digests.add(stream.stateDigest());
        stream.close(true);
        digests.add(stream.stateDigest());
        assertEquals(7, digests.size());
    }
}
