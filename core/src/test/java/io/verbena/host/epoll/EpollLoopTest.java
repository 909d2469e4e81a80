package io.verbena.host.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransmitList;
import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.EngineLoopTest;
import io.verbena.host.system.Linux;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class EpollLoopTest extends EngineLoopTest {

    @Override
    public EngineLoop open() throws IOException {
        assertEquals("", EpollLoop.obstacle(), "the tests run where it works");
        return new EpollLoop(0);
    }

    private static void connect(EpollLoop loop, StreamProbe client, StreamProbe server) throws IOException {
        var acceptor = server.listen();
        loop.connect(acceptor.localAddress(), client);
        Until.holds("connected", () -> client.connected() && server.connected(), loop::poll);
        acceptor.close();
    }

    @Test
    void listOfManyPieces_written_arrivesInOrder() throws IOException {
        try (EpollLoop loop = new EpollLoop(0)) {
            StreamProbe server = new StreamProbe(loop, false);
            StreamProbe client = new StreamProbe(loop, false);
            connect(loop, client, server);
            MemorySegment user = Arena.ofAuto().allocate(5000);
            ByteBuffer view = user.asByteBuffer();
            TransmitList list = new TransmitList(64 * 1024);
            long checksum = 0;
            for (int i = 0; i < 5000; i++) { // more pieces than one call takes
                user.set(ValueLayout.JAVA_BYTE, i, (byte) i);
                list.slab().segment().set(ValueLayout.JAVA_BYTE, list.reserve(1), (byte) -i);
                list.addView(view, i, 1, user.address() + i);
                list.endUnit(i);
                checksum = StreamProbe.mix(StreamProbe.mix(checksum, (byte) -i), (byte) i);
            }
            assertEquals(10_000, client.stream().write(list));
            Until.holds("arrived", () -> server.received == 10_000, loop::poll);
            assertEquals(checksum, server.checksum);
        }
    }

    @Test
    void manyPieces_firstCallComesShort_nothingBehindThatIsWritten() throws IOException {
        int pieceBytes = 100;
        try (EpollLoop loop = new EpollLoop(1 << 20)) {
            StreamProbe server = new StreamProbe(loop, false);
            StreamProbe client = new StreamProbe(loop, false);
            connect(loop, client, server);
            MemorySegment user = Arena.ofAuto().allocate(1500L * pieceBytes);
            ByteBuffer view = user.asByteBuffer();
            TransmitList list = new TransmitList(64);
            for (int i = 0; i < 1500; i++) { // two calls; in the middle of the first a piece that is not there
                user.asSlice((long) i * pieceBytes, pieceBytes).fill((byte) (i * 31 >> 3));
                list.addView(view, i * pieceBytes, pieceBytes, i == 900 ? 8 : user.address() + (long) i * pieceBytes);
                list.endUnit(i);
            }
            int written = client.stream().write(list);
            assertTrue(written > 0 && written <= 900 * pieceBytes, "written " + written);
            Until.holds("arrived", () -> server.received == written, loop::poll);
            long checksum = 0;
            for (int i = 0; i < written; i++) {
                checksum = StreamProbe.mix(checksum, user.get(ValueLayout.JAVA_BYTE, i));
            }
            assertEquals(checksum, server.checksum);
        }
    }

    @Test
    void memoryThatIsGone_written_failsWithBadAddress() throws IOException {
        try (EpollLoop loop = new EpollLoop(0)) {
            StreamProbe server = new StreamProbe(loop, false);
            StreamProbe client = new StreamProbe(loop, false);
            connect(loop, client, server);
            TransmitList list = new TransmitList(64);
            list.addView(ByteBuffer.allocateDirect(8), 0, 8, 8); // page zero is never there
            list.endUnit(0);
            IOException failure =
                    assertThrows(IOException.class, () -> client.stream().write(list));
            assertEquals("Bad address", failure.getMessage());
        }
    }

    @Test
    void wildcard_listening_takesBothKindsOfAddress() throws IOException {
        try (EpollLoop loop = new EpollLoop(0)) {
            List<StreamProbe> accepted = new ArrayList<>();
            var acceptor = loop.listen(new InetSocketAddress(0), 8, stream -> {
                StreamProbe probe = new StreamProbe(loop, false);
                probe.onConnected(stream);
                accepted.add(probe);
            });
            int port = ((InetSocketAddress) acceptor.localAddress()).getPort();
            int expected = 0;
            for (String host : List.of("127.0.0.1", "::1")) {
                InetAddress address = InetAddress.getByName(host);
                StreamProbe client = new StreamProbe(loop, false);
                loop.connect(new InetSocketAddress(address, port), client);
                Until.holds("outcome", () -> client.connected() || client.failure != null, loop::poll);
                if (client.connected()) { // a machine may have no IPv6
                    int count = ++expected;
                    Until.holds("accepted", () -> accepted.size() == count, loop::poll);
                    assertEquals(
                            address,
                            ((InetSocketAddress) accepted.getLast().stream().remoteAddress()).getAddress());
                }
            }
            assertTrue(expected > 0);
            acceptor.close();
        }
    }

    @Test
    void connectionWithinTheMachine_bothEnds_useTheSimplestCongestionControl() throws IOException {
        try (EpollLoop loop = new EpollLoop(0)) {
            StreamProbe server = new StreamProbe(loop, false);
            StreamProbe client = new StreamProbe(loop, false);
            connect(loop, client, server);
            assertEquals("reno", congestionControl(client));
            assertEquals("reno", congestionControl(server));
        }
    }

    private static String congestionControl(StreamProbe probe) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(16);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) name.byteSize());
            int fd = ((EpollStream) probe.stream()).fd();
            assertEquals(
                    0, Linux.option(Linux.newState(arena), fd, Linux.IPPROTO_TCP, Linux.TCP_CONGESTION, name, length));
            return name.getString(0);
        }
    }

    @Test
    void closed_wakeup_doesNothing() throws IOException {
        EpollLoop loop = new EpollLoop(0);
        loop.close();
        loop.wakeup();
        assertThrows(IOException.class, () -> loop.listen(StreamProbe.loopback(0), 1, stream -> stream.close(true)));
    }
}
