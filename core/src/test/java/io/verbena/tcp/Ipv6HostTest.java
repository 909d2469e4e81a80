package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a host does with packets of IPv6: addresses, extension headers, ICMPv6, the size of segments. */
class Ipv6HostTest {

    private static final InetAddress OWN = InetAddress.ofLiteral("fd77::1");
    private static final IpAddress ADDRESS = IpAddress.of(OWN);
    private static final InetAddress PEER = InetAddress.ofLiteral("fd77::2");
    private static final IpAddress REMOTE = IpAddress.of(PEER);
    private static final InetSocketAddress LISTENED = new InetSocketAddress(OWN, 7471);
    private static final int SERVICE = 9 << 16 | 7471;

    private final TcpHost host = new TcpHost(TcpSettings.defaults(), OWN, false, new FixedRandom(), 0);
    private final TcpLoop loop = host.newLoop(() -> {});
    private final List<ByteStream> opened = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    private final StreamLoop.ConnectEvents connecting = new StreamLoop.ConnectEvents() {
        @Override
        public void onConnected(ByteStream stream) {
            opened.add(stream);
        }

        @Override
        public void onConnectFailed(boolean refused, String sentence) {
            failures.add(sentence);
        }
    };

    private static byte[] bytes(int... values) {
        byte[] all = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            all[i] = (byte) values[i];
        }
        return all;
    }

    /** A packet with extension headers and a TCP segment whose checksum is right. */
    private static byte[] packet(IpAddress from, IpAddress to, int next, byte[] extensions, byte[] segment) {
        byte[] packet = new byte[Ipv6Header.LENGTH + extensions.length + segment.length];
        MemorySegment memory = MemorySegment.ofArray(packet);
        Ipv6Header ip = new Ipv6Header()
                .wrap(memory, 0)
                .write(packet.length - Ipv6Header.LENGTH, next, 64, 0)
                .source(from.high(), from.low())
                .destination(to.high(), to.low());
        System.arraycopy(extensions, 0, packet, Ipv6Header.LENGTH, extensions.length);
        int at = Ipv6Header.LENGTH + extensions.length;
        System.arraycopy(segment, 0, packet, at, segment.length);
        long sum = ip.pseudoHeader(Ipv6Header.TCP, segment.length) + InternetChecksum.sum(memory, at, segment.length);
        new TcpHeader().wrap(memory, at).checksum(InternetChecksum.of(sum));
        return packet;
    }

    private static byte[] segment(int ports, int sequence, int acknowledgment, int flags) {
        byte[] segment = new byte[20];
        new TcpHeader()
                .wrap(MemorySegment.ofArray(segment), 0)
                .write(ports, sequence, acknowledgment, TcpHeader.lengthAndFlags(20, flags))
                .window(60_000);
        return segment;
    }

    private void deliver(byte[] packet) {
        host.onPacket(MemorySegment.ofArray(packet), 0, packet.length, false, 0);
        loop.report();
    }

    private void syn(IpAddress from, IpAddress to, int next, byte... extensions) {
        deliver(packet(from, to, next, extensions, segment(SERVICE, 1, 0, TcpHeader.SYN)));
    }

    private List<byte[]> sent() {
        List<byte[]> all = new ArrayList<>();
        while (host.transmit(0)) {
            PacketOut out = host.out();
            all.add(out.slab().segment().asSlice(PacketOut.OFFSET, out.length()).toArray(ValueLayout.JAVA_BYTE));
        }
        return all;
    }

    private static TcpHeader tcp(byte[] packet) {
        return new TcpHeader().wrap(MemorySegment.ofArray(packet), Ipv6Header.LENGTH);
    }

    /** Connects to the peer; returns the ports as the peer writes them, and the next numbers of both sides. */
    private int[] connected(int mss) throws IOException {
        loop.connect(new InetSocketAddress(PEER, 80), connecting);
        TcpHeader syn = tcp(sent().getFirst());
        byte[] answer = segment(syn.destinationPort() << 16 | syn.sourcePort(), 5000, syn.sequence() + 1, 0x12);
        byte[] withMss = Arrays.copyOf(answer, mss == 0 ? 20 : 24);
        if (mss != 0) {
            System.arraycopy(bytes(2, 4, mss >> 8, mss), 0, withMss, 20, 4);
            withMss[12] = 0x60;
        }
        deliver(packet(REMOTE, ADDRESS, Ipv6Header.TCP, new byte[0], withMss));
        loop.report();
        sent();
        opened.getFirst().write(ByteBuffer.allocateDirect(100_000));
        return new int[] {syn.ports(), syn.sequence() + 1};
    }

    private int largest() {
        return sent().stream().mapToInt(each -> each.length).max().orElse(0);
    }

    // RFC 9293 section 3.7.1 [1, 2]: 1220 without the option.
    @Test
    void segments_haveTheSizeOfIpv6() throws IOException {
        loop.connect(new InetSocketAddress(PEER, 81), connecting);
        byte[] syn = sent().getFirst();
        TcpOptionReader options = new TcpOptionReader().read(MemorySegment.ofArray(syn), 60, syn.length);
        assertEquals(1440, options.mss());
        connected(0);
        assertEquals(40 + 20 + 1220, largest());
    }

    @Test
    void segments_areAsLargeAsThePathAndThePeerAccept() throws IOException {
        connected(9000);
        assertEquals(1500, largest());
    }

    @Test
    void addresses_onlyOfOneHost() throws IOException {
        loop.listen(LISTENED, 16, opened::add);
        for (String each : List.of("::", "::1", "ff02::1", "::ffff:10.0.0.1")) {
            IpAddress source = each.startsWith("::ffff") ? IpAddress.ipv4(0x0a00_0001) : address(each);
            syn(source, ADDRESS, Ipv6Header.TCP);
        }
        syn(REMOTE, address("ff02::1"), Ipv6Header.TCP);
        syn(REMOTE, address("fd77::3"), Ipv6Header.TCP);
        assertEquals(0, host.connectionCount());
        assertTrue(sent().isEmpty());
        syn(REMOTE, ADDRESS, Ipv6Header.TCP);
        assertEquals(1, host.connectionCount());
        loop.connect(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 1), connecting);
        loop.connect(new InetSocketAddress(InetAddress.ofLiteral("ff02::1"), 1), connecting);
        loop.report();
        assertEquals(2, failures.size());
    }

    private static IpAddress address(String text) {
        return IpAddress.of(InetAddress.ofLiteral(text));
    }

    // RFC 8200 section 4; RFC 6946 section 4.
    @Test
    void extensionHeaders_thatMayBeIgnored_areSkipped() throws IOException {
        loop.listen(LISTENED, 16, opened::add);
        int tcp = Ipv6Header.TCP;
        byte[] options = bytes(tcp, 0, 1, 4, 0, 0, 0, 0);
        byte[] alert = bytes(60, 0, 5, 2, 0, 0, 1, 0, tcp, 1, 0, 0, 1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        byte[] routed = bytes(tcp, 0, 4, 0, 0, 0, 0, 0);
        byte[] whole = bytes(tcp, 0, 0, 0, 1, 2, 3, 4);
        int expected = 0;
        for (Object[] each : new Object[][] {{60, options}, {0, options}, {0, alert}, {43, routed}, {44, whole}}) {
            syn(new IpAddress(REMOTE.high(), 100 + expected), ADDRESS, (int) each[0], (byte[]) each[1]);
            assertEquals(++expected, host.connectionCount());
        }
    }

    @Test
    void extensionHeaders_thatForbidThePacket_dropIt() throws IOException {
        loop.listen(LISTENED, 16, opened::add);
        int tcp = Ipv6Header.TCP;
        syn(REMOTE, ADDRESS, 60, bytes(tcp, 0, 0x41, 4, 0, 0, 0, 0)); // an unknown option that discards
        syn(REMOTE, ADDRESS, 60, bytes(tcp, 0, 1, 5, 0, 0, 0, 0)); // an option that ends after its header
        syn(REMOTE, ADDRESS, 60, bytes(tcp, 9, 1, 4, 0, 0, 0, 0)); // a header that ends after the packet
        syn(REMOTE, ADDRESS, 60, bytes(0, 0, 1, 4, 0, 0, 0, 0, tcp, 0, 1, 4, 0, 0, 0, 0)); // hop-by-hop, not first
        syn(REMOTE, ADDRESS, 43, bytes(tcp, 0, 0, 1, 0, 0, 0, 0)); // a route that continues
        syn(REMOTE, ADDRESS, 44, bytes(tcp, 0, 0, 1, 1, 2, 3, 4)); // a fragment
        syn(REMOTE, ADDRESS, 59); // no next header
        byte[] chain = new byte[8 * 9];
        for (int i = 0; i < chain.length; i += 8) {
            System.arraycopy(bytes(i + 8 < chain.length ? 60 : tcp, 0, 1, 4, 0, 0, 0, 0), 0, chain, i, 8);
        }
        syn(REMOTE, ADDRESS, 60, chain); // too many
        assertEquals(0, host.connectionCount());
        assertTrue(sent().isEmpty());
        syn(REMOTE, ADDRESS, 60, Arrays.copyOfRange(chain, 8, chain.length));
        assertEquals(1, host.connectionCount());
    }

    /** An ICMPv6 message from the peer. */
    private void icmp(int type, int code, byte[] message) {
        byte[] packet = new byte[Ipv6Header.LENGTH + message.length];
        System.arraycopy(message, 0, packet, Ipv6Header.LENGTH, message.length);
        MemorySegment memory = MemorySegment.ofArray(packet);
        Ipv6Header ip = new Ipv6Header()
                .wrap(memory, 0)
                .write(message.length, Ipv6Header.ICMP, 64, 0)
                .source(REMOTE.high(), REMOTE.low())
                .destination(ADDRESS.high(), ADDRESS.low());
        new Icmpv6Header()
                .wrap(memory, Ipv6Header.LENGTH)
                .finish(type, code, ip.pseudoHeader(Ipv6Header.ICMP, message.length), message.length);
        deliver(packet);
    }

    /** An error about a segment of this host. */
    private void error(int type, int code, int mtu, int ports, int sequence) {
        byte[] message = new byte[Icmpv6Header.LENGTH + Ipv6Header.LENGTH + 8];
        MemorySegment memory = MemorySegment.ofArray(message);
        new Ipv6Header()
                .wrap(memory, Icmpv6Header.LENGTH)
                .write(1000, Ipv6Header.TCP, 60, 0)
                .source(ADDRESS.high(), ADDRESS.low())
                .destination(REMOTE.high(), REMOTE.low());
        ByteBuffer.wrap(message).putInt(4, mtu).putInt(48, ports).putInt(52, sequence);
        icmp(type, code, message);
    }

    // RFC 4443 section 4.2.
    @Test
    void echo_isAnsweredWithItsData() {
        byte[] echo = bytes(0, 0, 0, 0, 1, 2, 3, 4, 77, 78);
        icmp(Icmpv6Header.ECHO, 0, echo);
        byte[] reply = sent().getFirst();
        MemorySegment memory = MemorySegment.ofArray(reply);
        Ipv6Header ip = new Ipv6Header().wrap(memory, 0);
        assertEquals(Ipv6Header.Check.OK, ip.check(reply.length));
        assertEquals(REMOTE, new IpAddress(ip.destinationHigh(), ip.destinationLow()));
        assertEquals(
                Icmpv6Header.ECHO_REPLY, new Icmpv6Header().wrap(memory, 40).type());
        assertTrue(InternetChecksum.intact(
                ip.pseudoHeader(Ipv6Header.ICMP, 10) + InternetChecksum.sum(memory, Ipv6Header.LENGTH, 10)));
        assertArrayEquals(bytes(1, 2, 3, 4, 77, 78), Arrays.copyOfRange(reply, 44, 50));
    }

    // RFC 8201 section 4; RFC 5927 section 4.1.
    @Test
    void packetTooBig_isBelievedIfTheSegmentIsInFlight() throws IOException {
        int[] flow = connected(9000);
        assertEquals(1500, largest());
        error(Icmpv6Header.PACKET_TOO_BIG, 0, 1300, flow[0], flow[1] - 100);
        error(Icmpv6Header.PACKET_TOO_BIG, 0, 1300, flow[0] + 1, flow[1]);
        error(Icmpv6Header.PACKET_TOO_BIG, 0, 1279, flow[0], flow[1]);
        error(Icmpv6Header.PACKET_TOO_BIG, 0, 0, flow[0], flow[1]);
        error(Icmpv6Header.PACKET_TOO_BIG, 0, -1, flow[0], flow[1]);
        assertEquals(0, largest());
        error(Icmpv6Header.PACKET_TOO_BIG, 0, 1300, flow[0], flow[1]);
        host.onDeadline(1_000_000_000);
        int size = 0;
        while (host.transmit(1_000_000_000)) {
            size = Math.max(size, host.out().length());
        }
        assertTrue(size > 1200 && size <= 1300, "packets of " + size);
    }

    // RFC 9293 section 3.9.2.2 [1, 3].
    @Test
    void unreachable_onlyAHardErrorEndsASetUp() {
        loop.connect(new InetSocketAddress(PEER, 80), connecting);
        TcpHeader syn = tcp(sent().getFirst());
        for (int code : new int[] {0, 1, 2, 3, 5, 6}) {
            error(Icmpv6Header.UNREACHABLE, code, 0, syn.ports(), syn.sequence());
        }
        error(Icmpv6Header.UNREACHABLE, 4, 0, syn.ports(), syn.sequence() + 1);
        error(3, 0, 0, syn.ports(), syn.sequence());
        assertEquals(List.of(), failures);
        error(Icmpv6Header.UNREACHABLE, 4, 0, syn.ports(), syn.sequence());
        assertEquals(List.of("No route to the host"), failures);
    }

    @Test
    void wrongChecksums_areCountedOrIgnored() throws IOException {
        loop.listen(LISTENED, 16, opened::add);
        byte[] packet = packet(REMOTE, ADDRESS, Ipv6Header.TCP, new byte[0], segment(SERVICE, 1, 0, TcpHeader.SYN));
        packet[23] ^= 1; // the source address is covered
        deliver(packet);
        assertEquals(1, host.counters().checksumErrors());
        assertEquals(0, host.connectionCount());
    }
}
