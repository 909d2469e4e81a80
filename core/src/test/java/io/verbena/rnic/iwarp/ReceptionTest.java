package io.verbena.rnic.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualPaging;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of a connection that cannot be processed when they arrive: they wait, in order, and none is lost. */
class ReceptionTest {

    private static final int PAGE = 4096;

    /** A Send of 8 bytes in one FPDU without a CRC (RFC 5041 section 4.2, RFC 5040 section 4.3). */
    private static byte[] send(int sequence) {
        return ByteBuffer.allocate(32)
                .putShort((short) 26)
                .put((byte) 0x41)
                .put((byte) 0x43)
                .putInt(0)
                .putInt(0)
                .putInt(sequence)
                .putInt(0)
                .putLong(0x0102030405060708L * sequence)
                .putInt(0)
                .array();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void framesArriveTogetherWithTheReply_andLater_areTakenInOrder(boolean segments) throws IOException {
        try (ManualWorld world = segments ? ManualWorld.segments() : new ManualWorld()) {
            Pair pair = new Pair(world, RnicOptions.defaults().withCrc(false), 64, each -> each);
            InetSocketAddress address = world.address();
            List<MemoryStream> accepted = world.network.acceptAt(address);
            ConnectionOptions plain =
                    ConnectionOptions.defaults().withRevision(1).withPeerToPeer(false);
            pair.fromA = pair.a.rnic.startConnect(pair.a.queuePair, address, plain);
            for (int i = 0; i < 3; i++) {
                pair.a.queuePair.postReceive(i, pair.a.memory, 8L * i, 8);
            }
            world.settle();
            MemoryStream peer = accepted.getFirst();
            byte[] reply = "MPA ID Rep Frame\0\1\0\0".getBytes(StandardCharsets.ISO_8859_1);
            byte[] whole = ByteBuffer.allocate(reply.length + 64)
                    .put(reply)
                    .put(send(1))
                    .put(send(2))
                    .array();
            peer.write(IwarpConnectTest.direct(whole));
            world.settle();
            assertEquals(ConnectionState.ESTABLISHED, pair.fromA.state());
            assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), pair.a.polled());
            peer.write(IwarpConnectTest.direct(send(3)));
            world.settle();
            assertEquals(List.of("2 SUCCESS"), pair.a.polled());
            assertEquals(1, pair.a.memory.segment().get(JAVA_BYTE, 0));
            assertEquals(3, pair.a.memory.segment().get(JAVA_BYTE, 16));
        }
    }

    /** A region of the second side whose pages are not present. */
    static MemoryRegion paged(Pair pair) throws IOException {
        ManualPaging paging = ManualEnvironment.of(pair.b.rnic).paging;
        paging.pages.put(Path.of("data"), new byte[4 * PAGE]);
        VirtualMemory memory = pair.b.rnic.openVirtualMemory(
                VirtualMemoryOptions.defaults().withFrameBytes(64 * PAGE).withReadAheadPages(0));
        AddressSegment segment = memory.createAddressSpace("user").mapFile(Path.of("data"), 0, 4 * PAGE, true);
        return pair.b.domain.register(segment, 0, 4 * PAGE, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
    }

    @Test
    void pageIsMissing_bytesThatWereReadAreHeld_andTheRestStaysInTheStream() throws IOException {
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world).connect();
            MemoryStream in = world.network.streams.stream()
                    .filter(each -> each.localAddress().equals(pair.fromB.localAddress()))
                    .findFirst()
                    .orElseThrow();
            ManualPaging paging = ManualEnvironment.of(pair.b.rnic).paging;
            MemoryRegion paged = paged(pair);
            pair.a.fill(3);
            for (int i = 0; i < 3; i++) {
                pair.b.queuePair.postReceive(i, pair.b.memory, 1000L * i, 1000);
            }
            paging.frozen = true;
            // In one read: a message that is complete, and then the one that waits for the page.
            pair.a.queuePair.startBatch();
            pair.a.queuePair.postSend(1, pair.a.memory, 0, 1000, WrFlags.UNSIGNALLED);
            pair.a.queuePair.postWrite(2, pair.a.memory, 0, 1000, paged.remote(), 100, WrFlags.UNSIGNALLED);
            pair.a.queuePair.postSend(3, pair.a.memory, 1000, 1000, WrFlags.UNSIGNALLED);
            pair.a.queuePair.ringDoorbell();
            long before = pair.b.rnic.stateDigest();
            world.settle();
            assertEquals(List.of("0 SUCCESS"), pair.b.polled());
            assertNotEquals(before, pair.b.rnic.stateDigest());
            assertTrue(pair.b.rnic.engine(0).pool().lent() > 0, "what was read is held");

            pair.a.queuePair.postSend(4, pair.a.memory, 2000, 1000, WrFlags.SIGNALLED);
            world.settle();
            assertTrue(in.in().size() > 1000, "nothing more is read");
            assertEquals(List.of(), pair.b.polled());

            paging.frozen = false;
            world.settle();
            assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.b.polled());
            assertEquals(0, pair.b.rnic.engine(0).pool().lent());
            byte[] sent = pair.a.memory.segment().asSlice(0, 3000).toArray(JAVA_BYTE);
            assertArrayEquals(sent, pair.b.memory.segment().asSlice(0, 3000).toArray(JAVA_BYTE));
            assertEquals(List.of("4 SUCCESS"), pair.a.polled());
            pair.b.queuePair.postReceive(5, pair.b.memory, 0, 8);
            pair.a.queuePair.postSend(6, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED);
            world.settle();
            assertEquals(List.of("5 SUCCESS"), pair.b.polled(), "the stream is read as before");
        }
    }

    @Test
    void pageIsMissing_connectionIsAborted_whatIsHeldIsReleased() throws IOException {
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world).connect();
            MemoryRegion paged = paged(pair);
            ManualEnvironment.of(pair.b.rnic).paging.frozen = true;
            pair.a.queuePair.postWrite(1, pair.a.memory, 0, 1000, paged.remote(), 100, WrFlags.UNSIGNALLED);
            world.settle();
            assertTrue(pair.b.rnic.engine(0).pool().lent() > 0, "what was read is held");
            assertTrue(pair.b.rnic.engine(0).nextDeadlineNs() - world.nowNs <= 1_000_000, "is tried again soon");
            pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            assertTrue(pair.fromB.awaitClosed(Pair.SECOND));
            assertEquals(0, pair.b.rnic.engine(0).pool().lent());
            assertEquals(0, pair.b.rnic.engine(0).members());
            ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
            world.settle();
        }
    }

    @Test
    void disconnected_memoryIsMissingForALongTime_thePeerIsNotBlamed() throws IOException {
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world).connect();
            MemoryRegion paged = paged(pair);
            ManualEnvironment.of(pair.b.rnic).paging.frozen = true;
            pair.a.queuePair.postWrite(1, pair.a.memory, 0, 1000, paged.remote(), 100, WrFlags.SIGNALLED);
            pair.fromB.disconnect();
            world.advance(12_000_000_000L);
            assertEquals(ConnectionState.CLOSING, pair.fromB.state());
            ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
            world.advance(1_000_000_000);
            assertEquals(ConnectionState.CLOSED, pair.fromA.state());
            assertEquals(ConnectionState.CLOSED, pair.fromB.state());
            assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        }
    }

    /** Side B connects to a peer of the test, whose Reply comes with a Write to a page that is missing, and with Sends. */
    private static MemoryStream replyWithAWriteAndSends(ManualWorld world, Pair pair, int sends) throws IOException {
        MemoryRegion paged = paged(pair);
        ManualEnvironment.of(pair.b.rnic).paging.frozen = true;
        InetSocketAddress address = world.address();
        List<MemoryStream> accepted = world.network.acceptAt(address);
        ConnectionOptions plain = ConnectionOptions.defaults().withRevision(1).withPeerToPeer(false);
        pair.fromB = pair.b.rnic.startConnect(pair.b.queuePair, address, plain);
        world.settle();
        byte[] reply = "MPA ID Rep Frame\0\1\0\0".getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer bytes = ByteBuffer.allocate(reply.length + 28 + 32 * sends)
                .put(reply)
                .putShort((short) 22)
                .put((byte) 0xc1)
                .put((byte) 0x40)
                .putInt(paged.rkey())
                .putLong(paged.address())
                .putLong(7)
                .putInt(0);
        for (int i = 1; i <= sends; i++) {
            bytes.put(send(i));
        }
        accepted.getFirst().write(IwarpConnectTest.direct(bytes.array()));
        world.settle();
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
        return accepted.getFirst();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void frameArrivesTogetherWithTheReply_itsPageIsMissing_itIsTakenLater(boolean segments) throws IOException {
        Set<Long> digests = new HashSet<>();
        for (int sends = 1; sends <= 3; sends++) {
            try (ManualWorld world = segments ? ManualWorld.segments() : new ManualWorld()) {
                Pair pair = new Pair(world, RnicOptions.defaults().withCrc(false), 64, each -> each);
                for (int i = 1; i <= 4; i++) {
                    pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
                }
                MemoryStream peer = replyWithAWriteAndSends(world, pair, sends);
                assertEquals(List.of(), pair.b.polled());
                assertTrue(digests.add(pair.b.rnic.stateDigest()), "what is held is part of the state");
                ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
                world.settle();
                assertEquals(sends, pair.b.polled().size());
                assertEquals(0, pair.b.rnic.engine(0).pool().lent());
                peer.write(IwarpConnectTest.direct(send(sends + 1)));
                world.settle();
                assertEquals(List.of(sends + 1 + " SUCCESS"), pair.b.polled());
            }
        }
    }

    @Test
    void heldBytes_arePartOfTheStateDigest() throws IOException {
        Set<Long> digests = new HashSet<>();
        for (int bytes = 100; bytes <= 300; bytes += 100) {
            try (ManualWorld world = new ManualWorld()) {
                Pair pair = new Pair(world).connect();
                MemoryRegion paged = paged(pair);
                ManualEnvironment.of(pair.b.rnic).paging.frozen = true;
                pair.a.queuePair.startBatch();
                pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, paged.remote(), 0, WrFlags.UNSIGNALLED);
                pair.a.queuePair.postSend(2, pair.a.memory, 0, bytes, WrFlags.UNSIGNALLED);
                pair.a.queuePair.ringDoorbell();
                world.settle();
                assertTrue(digests.add(pair.b.rnic.stateDigest()), bytes + " bytes");
                ManualEnvironment.of(pair.b.rnic).paging.frozen = false;
            }
        }
    }

    // Where payload is read to.

    @Test
    void streamReadsIntoTwoBuffers_largePayloadIsReadToItsDestination_andSmallPayloadIsNot() throws IOException {
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world, RnicOptions.defaults().withCrc(false), 64, each -> each).connect();
            MemoryStream in = world.network.streams.stream()
                    .filter(each -> each.localAddress().equals(pair.fromB.localAddress()))
                    .findFirst()
                    .orElseThrow();
            in.gathers(true);
            long from = pair.b.memory.segment().address();
            long[] direct = {0};
            in.atRead((address, bytes) -> {
                boolean there = address >= from && address < from + Pair.REGION_BYTES;
                direct[0] += there ? Math.max(0, bytes) : 0;
            });
            pair.a.fill(9);
            for (int i = 0; i < 64; i++) {
                pair.a.queuePair.postWrite(
                        i, pair.a.memory, i * 1000L, 1000, pair.b.memory.remote(), i * 1000L, WrFlags.UNSIGNALLED);
            }
            world.settle();
            assertEquals(0, direct[0]);
            int bytes = 512 * 1024;
            pair.a.queuePair.postWrite(
                    99, pair.a.memory, 64_000, bytes, pair.b.memory.remote(), 64_000, WrFlags.SIGNALLED);
            world.settle();
            assertEquals(List.of("99 SUCCESS"), pair.a.polled());
            // After the first frames each read ends where the next payload begins.
            assertTrue(direct[0] > bytes * 3 / 4, direct[0] + " bytes");
            assertEquals(
                    -1,
                    pair.a
                            .memory
                            .segment()
                            .asSlice(0, 64_000 + bytes)
                            .mismatch(pair.b.memory.segment().asSlice(0, 64_000 + bytes)));
        }
    }
}
