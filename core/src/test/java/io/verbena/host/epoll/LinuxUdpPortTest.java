package io.verbena.host.epoll;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.host.PacketProbe;
import io.verbena.host.Until;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.HotStreams;
import io.verbena.host.socket.UdpPortTest;
import io.verbena.host.system.Linux;
import io.verbena.port.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxUdpPortTest extends UdpPortTest {

    /** Socket option of linux/udp.h. */
    private static final int UDP_NO_CHECK6_TX = 101;

    @Override
    public EngineLoop open() throws IOException {
        assertEquals("", EpollLoop.obstacle(), "the tests run where it works");
        return new EpollLoop(0);
    }

    @Test
    void send_trafficClass_arrivesWithItsEcnBits() throws IOException {
        for (String host : List.of("127.0.0.1", "::1")) {
            PacketProbe sender = new PacketProbe(left, host);
            PacketProbe receiver = new PacketProbe(right, host);
            int[] classes = {0, PacketPath.ECT_0, 26 << 2 | PacketPath.CONGESTION_EXPERIENCED, 0xff, 0};
            for (int each : classes) {
                sender.send(sender.pathTo(receiver, each), (byte) 1);
            }
            Until.holds("received", () -> receiver.received.size() == classes.length, this::pollBoth);
            assertEquals(IntStream.of(classes).boxed().toList(), receiver.classes, host);
        }
    }

    @Test
    void send_ipv4FromTheWildcardOfIpv6_arrivesWithItsClass() throws IOException {
        PacketProbe sender = new PacketProbe(left, "::");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        sender.send(sender.pathTo(receiver, 3), (byte) 1);
        receiver.send(
                Addresses.path(
                        new InetSocketAddress(
                                InetAddress.ofLiteral("127.0.0.1"),
                                sender.port.localAddress().getPort()),
                        2),
                (byte) 2);
        Until.holds("received", () -> receiver.received.size() == 1 && sender.received.size() == 1, this::pollBoth);
        assertEquals(List.of(3), receiver.classes);
        assertEquals(List.of(2), sender.classes);
        assertEquals(
                InetAddress.ofLiteral("127.0.0.1"), sender.sources.getFirst().getAddress());
    }

    /** rxe sends no UDP checksum over IPv6. A socket without UDP_NO_CHECK6_RX never receives such packets. */
    @Test
    void ipv6PacketWithoutChecksum_arrivesHere_butNotAtASocketOfTheJdk() throws IOException {
        PacketProbe direct = new PacketProbe(right, "::1");
        EpollLoop loop = (EpollLoop) left;
        PacketList list = new PacketList(4096);
        int fd = loop.sockets().openDatagram(true);
        try (DatagramChannel jdk =
                DatagramChannel.open().bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0))) {
            list.reset(1, 4096);
            for (InetSocketAddress to :
                    List.of(direct.port.localAddress(), (InetSocketAddress) jdk.getLocalAddress())) {
                list.slab().put(list.reserve(1), ByteBuffer.wrap(new byte[] {1}), 0, 1);
                list.endPacket(Addresses.path(to, 0), 0);
            }
            loop.sockets().set(fd, Linux.IPPROTO_UDP, UDP_NO_CHECK6_TX, 1);
            assertEquals(1, loop.datagrams().send(fd, true, 0, list, 0, 1));
            assertEquals(1, loop.datagrams().send(fd, true, 0, list, 1, 2));
            Until.holds("received", () -> direct.received.size() == 1, this::pollBoth);

            // The packet with a checksum is the first that arrives.
            loop.sockets().set(fd, Linux.IPPROTO_UDP, UDP_NO_CHECK6_TX, 0);
            list.slab().put(list.reserve(2), ByteBuffer.wrap(new byte[] {2, 2}), 0, 2);
            list.endPacket(Addresses.path((InetSocketAddress) jdk.getLocalAddress(), 0), 0);
            assertEquals(2, loop.datagrams().send(fd, true, 0, list, 2, 3));
            ByteBuffer received = ByteBuffer.allocate(16);
            jdk.receive(received);
            assertEquals(2, received.position());
        } finally {
            loop.sockets().close(fd);
        }
    }

    @Test
    void send_group_arrivesTogetherWithIndices() throws IOException {
        for (String host : List.of("127.0.0.1", "::1")) {
            PacketProbe sender = new PacketProbe(left, host);
            PacketProbe receiver = new PacketProbe(right, host);
            assertEquals(64, sender.port.groupPackets());
            PacketPath path = sender.pathTo(receiver, PacketPath.ECT_0);
            sender.begin();
            List<byte[]> sent = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sent.add(bytes(i == 9 ? 77 : 1040, i));
                sender.add(path, sent.getLast());
            }
            assertEquals(10, sender.port.send(sender.list, 0));
            Until.holds("received", () -> receiver.received.size() == 10, this::pollBoth);
            for (int i = 0; i < 10; i++) {
                assertArrayEquals(sent.get(i), receiver.received.get(i));
                assertEquals(i, receiver.indices.get(i));
                assertEquals(PacketPath.ECT_0, receiver.classes.get(i));
            }
        }
    }

    @Test
    void send_groupOfManyPieces_arrives() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        PacketPath path = sender.pathTo(receiver, 0);
        Slab memory = new Slab(4096);
        byte[] pattern = bytes(4096, 5);
        memory.put(0, java.nio.ByteBuffer.wrap(pattern), 0, 4096);
        java.nio.ByteBuffer view = memory.range(0, 4096).duplicate();
        sender.begin();
        for (int packet = 0; packet < 40; packet++) { // 40 packets of 30 pieces: more than a call takes
            for (int piece = 0; piece < 30; piece++) {
                int at = piece * 100 + packet;
                sender.list.addView(view, at, 20, memory.address() + at);
            }
            sender.list.endPacket(path, 0);
        }
        assertEquals(40, sender.port.send(sender.list, 0));
        Until.holds("received", () -> receiver.received.size() == 40, this::pollBoth);
        for (int packet = 0; packet < 40; packet++) {
            byte[] expected = new byte[600];
            for (int piece = 0; piece < 30; piece++) {
                System.arraycopy(pattern, piece * 100 + packet, expected, piece * 20, 20);
            }
            assertArrayEquals(expected, receiver.received.get(packet));
        }
    }

    @Test
    void send_toAClosedPort_isReportedAndOtherTrafficContinues() throws IOException {
        for (String host : List.of("127.0.0.1", "::1")) {
            PacketProbe gone = new PacketProbe(right, host);
            InetSocketAddress address = gone.port.localAddress();
            gone.port.close();
            PacketProbe sender = new PacketProbe(left, host);
            PacketProbe receiver = new PacketProbe(right, host);
            PacketPath toGone = Addresses.path(address, 0);
            PacketPath toReceiver = sender.pathTo(receiver, 0);
            for (int i = 0; i < 500; i++) {
                int next = i + 1;
                sender.send(toGone, (byte) 1);
                assertEquals(1, sender.send(toReceiver, (byte) i));
                receiver.send(receiver.pathTo(sender, 0), (byte) i);
                Until.holds(
                        "received",
                        () -> receiver.received.size() == next && sender.received.size() == next,
                        this::pollBoth);
            }
            Until.holds("reported", () -> !sender.unreachable.isEmpty(), this::pollBoth);
            assertEquals(List.of(address), List.copyOf(java.util.Set.copyOf(sender.unreachable)));
            assertTrue(receiver.unreachable.isEmpty());
        }
    }

    @Test
    void select_unreachableIsPending_endsTheWait() throws IOException {
        PacketProbe gone = new PacketProbe(right, "127.0.0.1");
        InetSocketAddress address = gone.port.localAddress();
        gone.port.close();
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        sender.send(Addresses.path(address, 0), (byte) 1);
        Until.holds("reported", () -> !sender.unreachable.isEmpty(), () -> left.select(10_000_000_000L));
        assertFalse(sender.unreachable.isEmpty());
    }

    @Test
    void send_systemIsOutOfBuffers_isRetriedLater() {
        assertTrue(LinuxUdpSender.full(Linux.EAGAIN));
        assertTrue(LinuxUdpSender.full(Linux.ENOBUFS));
        assertTrue(LinuxUdpSender.full(Linux.ENOMEM));
        assertFalse(LinuxUdpSender.full(Linux.EMSGSIZE));
    }

    @Test
    void manyPorts_moreThanAreHot_allReceive() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        List<PacketProbe> receivers = new ArrayList<>();
        for (int i = 0; i < 2 * HotStreams.MAX; i++) {
            receivers.add(new PacketProbe(right, "127.0.0.1"));
        }
        for (int round = 1; round <= 1500; round++) {
            int all = round;
            for (PacketProbe each : receivers) {
                sender.send(sender.pathTo(each, 0), (byte) round);
            }
            Until.holds(
                    "received", () -> receivers.stream().allMatch(each -> each.received.size() == all), this::pollBoth);
        }
    }
}
