package io.verbena.rnic.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualPaging;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RNICs over a TCP that delivers segments, the last one first: the same as over a TCP that delivers bytes. */
class SegmentsTest {

    private static final int PAGE = 4096;

    private final ManualWorld world = ManualWorld.segments();

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void work_ofEveryKind_inBothDirections_completesInOrder(boolean crc, boolean markers) throws IOException {
        int bytes = 40_000;
        RnicOptions options = RnicOptions.defaults().withCrc(crc).withMarkers(markers);
        Pair pair = new Pair(world, options, 64, each -> each).connect();
        pair.a.fill(1);
        byte[] sent = bytes(pair.a.memory, bytes);
        // A short message first, so that segments do not begin where frames begin.
        pair.b.queuePair.postReceive(8, pair.b.memory, 2L * bytes, 20);
        pair.a.queuePair.postSend(0, pair.a.memory, 0, 20, WrFlags.UNSIGNALLED);
        pair.b.queuePair.postReceive(9, pair.b.memory, bytes, bytes);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, bytes, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, bytes, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(3, pair.a.memory, bytes, bytes, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("8 SUCCESS", "9 SUCCESS"), pair.b.polled());
        assertArrayEquals(sent, bytes(pair.b.memory, bytes));
        assertArrayEquals(sent, pair.b.memory.segment().asSlice(bytes, bytes).toArray(JAVA_BYTE));
        assertArrayEquals(sent, pair.a.memory.segment().asSlice(bytes, bytes).toArray(JAVA_BYTE));
        assertEquals(0, pair.a.rnic.engine(0).pool().lent());
        assertEquals(0, pair.b.rnic.engine(0).pool().lent());
    }

    private static byte[] bytes(MemoryRegion region, int count) {
        return region.segment().asSlice(0, count).toArray(JAVA_BYTE);
    }

    @Test
    void pagesAreMissing_theStreamWaitsForThem_andTheRestFollowsInOrder() throws IOException {
        Pair pair = new Pair(world).connect();
        ManualPaging paging = ManualEnvironment.of(pair.b.rnic).paging;
        paging.pages.put(Path.of("data"), new byte[4 * PAGE]);
        VirtualMemory memory = pair.b.rnic.openVirtualMemory(
                VirtualMemoryOptions.defaults().withFrameBytes(64 * PAGE).withReadAheadPages(0));
        AddressSegment segment = memory.createAddressSpace("user").mapFile(Path.of("data"), 0, 4 * PAGE, true);
        MemoryRegion paged = pair.b.domain.register(
                segment, 0, 4 * PAGE, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        pair.a.fill(3);
        byte[] sent = bytes(pair.a.memory, 4 * PAGE);
        long before = pair.b.rnic.stateDigest();

        paging.frozen = true;
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 4 * PAGE, paged.remote(), 0, WrFlags.SIGNALLED);
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertTrue(before != pair.b.rnic.stateDigest());
        assertEquals(List.of(), pair.b.polled(), "the Send follows the Write");

        paging.frozen = false;
        world.advance(20_000_000);
        assertEquals(List.of("1 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
        pair.a.queuePair.postRead(4, pair.a.memory, 8 * PAGE, 4 * PAGE, paged.remote(), 0, WrFlags.SIGNALLED);
        world.advance(20_000_000);
        assertEquals(List.of("4 SUCCESS"), pair.a.polled());
        assertArrayEquals(
                sent, pair.a.memory.segment().asSlice(8 * PAGE, 4 * PAGE).toArray(JAVA_BYTE));
        pair.fromA.disconnect();
        assertTrue(pair.fromB.awaitClosed(Pair.SECOND));
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
    }

    @Test
    void pageOfTheOnlySegmentIsMissing_theEngineSleepsUntilItIsThere() throws IOException {
        Pair pair = new Pair(world).connect();
        ManualPaging paging = ManualEnvironment.of(pair.b.rnic).paging;
        MemoryRegion paged = ReceptionTest.paged(pair);
        paging.frozen = true;
        pair.b.queuePair.postReceive(2, pair.b.memory, 0, 8);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, paged.remote(), 0, WrFlags.UNSIGNALLED);
        world.settle();
        assertFalse(pair.b.rnic.engine(0).hasWork(), "what was refused is not offered in a loop");
        paging.frozen = false;
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.b.polled());
    }

    @Test
    void disconnect_peerStillHasWorkForALongTime_itsSegmentsExtendTheClose() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 3; i++) {
            pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8);
            pair.b.queuePair.post(
                    pair.b.queuePair.newWorkRequest().delay(3_000_000_000L).flags(WrFlags.UNSIGNALLED));
            pair.b.queuePair.postSend(20 + i, pair.b.memory, 0, 8, WrFlags.UNSIGNALLED);
        }
        pair.fromA.disconnect();
        assertFalse(pair.fromA.awaitClosed(Duration.ofSeconds(8)));
        assertTrue(pair.fromA.awaitClosed(Duration.ofSeconds(2)));
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    /** An FPDU that is a Write of 8 bytes (RFC 5044 section 4, RFC 5041 section 4.1), with its checksum. */
    private static byte[] write(MemoryRegion to, long offset) {
        ByteBuffer frame = ByteBuffer.allocate(28)
                .putShort((short) 22)
                .put((byte) 0xc1)
                .put((byte) 0x40)
                .putInt(to.rkey())
                .putLong(to.address() + offset)
                .putLong(0x1122334455667788L);
        CRC32C sum = new CRC32C();
        sum.update(frame.array(), 0, 24);
        return frame.putInt(Integer.reverseBytes((int) sum.getValue())).array();
    }

    // RFC 2018 section 8: what was acknowledged selectively may be withdrawn, and is sent again.
    @Test
    void payloadLooksLikeAFrameAtTheStartOfASegment_theGuessIsWithdrawn_andItsBytesAreDelivered() throws IOException {
        RnicOptions options =
                RnicOptions.defaults().withIwarp(iwarp -> iwarp.withCrc(true).withGuesses(true));
        Pair pair = new Pair(world, options, 64, each -> each).connect();
        pair.a.fill(5);
        int first = 20;
        int bytes = 3 * 476;
        // Frames of 44, 500, 500 and 500 bytes in segments of 500: the third segment begins in the payload of the third
        // frame.
        byte[] frame = write(pair.b.memory, 100_000);
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, pair.a.memory.segment(), 1000 + 476 + 436, frame.length);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, first);
        pair.b.queuePair.postReceive(2, pair.b.memory, 1000, bytes);
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(3, pair.a.memory, 0, first, WrFlags.UNSIGNALLED);
        pair.a.queuePair.postSend(4, pair.a.memory, 1000, bytes, WrFlags.SIGNALLED);
        pair.a.queuePair.ringDoorbell();
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.b.polled());
        assertArrayEquals(
                pair.a.memory.segment().asSlice(1000, bytes).toArray(JAVA_BYTE),
                pair.b.memory.segment().asSlice(1000, bytes).toArray(JAVA_BYTE));
        assertEquals(0x11, pair.b.memory.segment().get(JAVA_BYTE, 100_000), "it was guessed");
    }
}
