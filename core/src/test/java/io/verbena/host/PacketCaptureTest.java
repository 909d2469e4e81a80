package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.socket.SocketLoop;
import io.verbena.host.socket.UdpPortTest;
import io.verbena.port.Addresses;
import io.verbena.port.capture.CaptureLimits;
import io.verbena.port.capture.CapturingPacketLoop;
import io.verbena.wire.PcapngReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacketCaptureTest {

    private static final int ETHERNET = 14;

    @TempDir
    Path folder;

    private static List<ByteBuffer> packets(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(bytes));
        List<ByteBuffer> packets = new ArrayList<>();
        PcapngReader.Outcome outcome;
        while ((outcome = reader.next()) == PcapngReader.Outcome.PACKET) {
            packets.add(ByteBuffer.wrap(bytes, (int) reader.packetOffset(), reader.packetLength())
                    .slice());
        }
        assertEquals(PcapngReader.Outcome.END, outcome);
        return packets;
    }

    private static byte[] tail(ByteBuffer packet, int from) {
        byte[] bytes = new byte[packet.limit() - from];
        packet.get(from, bytes);
        return bytes;
    }

    @Test
    void packetsOfIpv4_captured_showHeadersAndPayloadOnce() throws IOException {
        Path path = folder.resolve("packets.pcapng");
        byte[][] sent = {UdpPortTest.bytes(500, 1), UdpPortTest.bytes(500, 2), UdpPortTest.bytes(77, 3)};
        InetSocketAddress from;
        InetSocketAddress to;
        int groupPackets;
        try (EngineLoop sockets = EpollLoop.openFastest(0);
                CaptureFile file = CaptureFile.open(path.toString(), CaptureLimits.defaults())) {
            sockets.own();
            CapturingPacketLoop loop = new CapturingPacketLoop(sockets, file.capture());
            PacketProbe sender = new PacketProbe(loop, "127.0.0.1");
            PacketProbe receiver = new PacketProbe(loop, "127.0.0.2"); // of the same capture: in the file once
            from = sender.port.localAddress();
            to = receiver.port.localAddress();
            groupPackets = sender.port.groupPackets();
            sender.begin();
            PacketPath way = sender.pathTo(receiver, PacketPath.ECT_0);
            for (byte[] each : sent) {
                sender.add(way, each);
            }
            assertEquals(3, sender.port.send(sender.list, 0));
            Until.holds("received", () -> receiver.received.size() == 3, sockets::poll);
            sender.port.close();
            receiver.port.close();
        }
        List<ByteBuffer> packets = packets(path);
        assertEquals(3, packets.size());
        for (int i = 0; i < 3; i++) {
            ByteBuffer packet = packets.get(i);
            assertEquals(0x0800, packet.getShort(12));
            assertEquals(PacketPath.ECT_0, packet.get(ETHERNET + 1));
            assertEquals(groupPackets == 1 ? 0 : i, packet.getShort(ETHERNET + 4), "identification");
            assertEquals(0x4000, packet.getShort(ETHERNET + 6), "do not fragment");
            assertEquals(0x7f000001, packet.getInt(ETHERNET + 12));
            assertEquals(0x7f000002, packet.getInt(ETHERNET + 16));
            assertEquals(from.getPort(), packet.getShort(ETHERNET + 20) & 0xffff);
            assertEquals(to.getPort(), packet.getShort(ETHERNET + 22) & 0xffff);
            assertArrayEquals(sent[i], tail(packet, ETHERNET + 28));
        }
        Dissection.check(path, "udp");
    }

    @Test
    void packetsOfIpv6FromAStranger_captured_haveAChecksum() throws IOException {
        Path path = folder.resolve("packets6.pcapng");
        byte[] payload = UdpPortTest.bytes(501, 1);
        try (EngineLoop sockets = EpollLoop.openFastest(0);
                EngineLoop strangers = new SocketLoop(0);
                CaptureFile file = CaptureFile.open(path.toString(), CaptureLimits.defaults())) {
            sockets.own();
            strangers.own();
            PacketProbe receiver = new PacketProbe(new CapturingPacketLoop(sockets, file.capture()), "::1");
            PacketProbe stranger = new PacketProbe(strangers, "::1");
            stranger.send(stranger.pathTo(receiver, 0), payload);
            Until.holds("received", () -> receiver.received.size() == 1, sockets::poll);
        }
        List<ByteBuffer> packets = packets(path);
        assertEquals(1, packets.size());
        assertEquals((short) 0x86dd, packets.getFirst().getShort(12));
        assertArrayEquals(payload, tail(packets.getFirst(), ETHERNET + 48));
        assertTrue(packets.getFirst().getShort(ETHERNET + 46) != 0);
        Dissection.check(path, "udp.checksum.status != 0");
    }

    @Test
    void packetToAGroup_captured_showsTheGroup() throws IOException {
        Path path = folder.resolve("group.pcapng");
        CaptureLimits snap = CaptureLimits.of(Map.of(CaptureLimits.SNAP_SETTING, "64"));
        try (EngineLoop sockets = EpollLoop.openFastest(0);
                CaptureFile file = CaptureFile.open(path.toString(), snap)) {
            sockets.own();
            PacketProbe receiver = new PacketProbe(new CapturingPacketLoop(sockets, file.capture()), "127.0.0.1");
            PacketProbe stranger = new PacketProbe(sockets, "127.0.0.2");
            InetAddress group = InetAddress.ofLiteral("239.77.1.3");
            receiver.port.join(group);
            stranger.send(
                    Addresses.path(
                            new InetSocketAddress(
                                    group, receiver.port.localAddress().getPort()),
                            0),
                    UdpPortTest.bytes(500, 1));
            Until.holds("received", () -> receiver.received.size() == 1, sockets::poll);
        }
        ByteBuffer packet = packets(path).getFirst();
        assertEquals(0xef4d0103, packet.getInt(ETHERNET + 16));
        assertEquals(ETHERNET + 28 + 64, packet.limit(), "the headers do not count for the limit");
    }
}
