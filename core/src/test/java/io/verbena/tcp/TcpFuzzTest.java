package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketBatch;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.ArpPacket;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.IcmpHeader;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Extensions;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.NeighborMessage;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Any bytes as packets and headers: a declared outcome, no exception, nothing read outside. */
class TcpFuzzTest {

    private static final int ADDRESS = 0x0a00_0001;

    // RFC 9293 sections 3.1 [5, 6, 7, 8, 9] and 3.2 [1]: options of any kind, length and place.
    @FuzzTest
    void anyBytes_asHeaders_areDecodedOrRejected(byte[] data) {
        MemorySegment memory = MemorySegment.ofArray(data);
        StringBuilder out = new StringBuilder();
        Ipv4Header ip = new Ipv4Header().wrap(memory, 0);
        Ipv4Header.Check check = ip.check(data.length);
        if (check == Ipv4Header.Check.OK) {
            assertTrue(ip.totalLength() <= data.length && ip.headerBytes() <= ip.totalLength());
            ip.describe(out);
        }
        TcpHeader tcp = new TcpHeader().wrap(memory, 0);
        if (data.length >= TcpHeader.LENGTH && tcp.fits(data.length)) {
            tcp.describe(out);
            TcpOptionReader options = new TcpOptionReader().read(memory, TcpHeader.LENGTH, tcp.headerBytes());
            options.describe(out);
            assertTrue(options.blocks() <= TcpOptionReader.MAX_BLOCKS && options.windowScale() <= 14);
        }
        new TcpOptionReader().read(memory, 0, data.length).describe(out);
        if (EthernetHeader.fits(data.length)) {
            new EthernetHeader().wrap(memory, 0).describe(out);
            new VirtioNetHeader().wrap(memory, 0).describe(out);
        }
        if (new ArpPacket().wrap(memory, 0).fits(data.length)) {
            new ArpPacket().wrap(memory, 0).describe(out);
        }
        decodeIpv6(memory, data.length, out);
        if (IcmpHeader.fits(data.length)) {
            new IcmpHeader().wrap(memory, 0).describe(out);
        }
        assertTrue(InternetChecksum.of(InternetChecksum.sum(memory, 0, data.length)) <= 0xffff);
        assertTrue(out.length() < 1_500);
    }

    private static void decodeIpv6(MemorySegment memory, int bytes, StringBuilder out) {
        Ipv6Header ip = new Ipv6Header().wrap(memory, 0);
        Ipv6Extensions extensions = new Ipv6Extensions();
        if (ip.check(bytes) == Ipv6Header.Check.OK) {
            assertTrue(ip.payloadLength() + Ipv6Header.LENGTH <= bytes);
            ip.describe(out);
        }
        for (int first : new int[] {0, 43, 44, 60}) {
            if (extensions.walk(memory, first, 0, bytes) == Ipv6Extensions.Outcome.CONTENT) {
                assertTrue(extensions.content() > 0 && extensions.content() <= bytes);
            }
        }
        NeighborMessage message = new NeighborMessage().wrap(memory, 0, bytes);
        if (message.fits()) {
            message.describe(out);
        }
        if (Icmpv6Header.fits(bytes)) {
            new Icmpv6Header().wrap(memory, 0).describe(out);
        }
    }

    // Every message arrives as the content of a valid packet of IPv6, so that what follows the checks is reached.
    @FuzzTest
    void anyIpv6Packets_atAHost_areSurvived(byte[] data) {
        FakeLink link = new FakeLink(true, (data.length & 2) == 0, 1500);
        InetAddress peer = InetAddress.ofLiteral("fd77::2");
        LinkAddress address = LinkAddress.parse("fd77::1/64", peer);
        LinkTcp tcp = new LinkTcp(link, address, TcpSettings.defaults(), new FixedRandom(), 0);
        tcp.turn(1_000_000_001);
        tcp.flush(1_000_000_001);
        long hardware = new EthernetHeader()
                .wrap(MemorySegment.ofArray(link.sent.getFirst()), 10)
                .source();
        IpAddress own = IpAddress.of(address.address());
        for (int from = 0; from < data.length; ) {
            int to = Math.min(data.length, from + 1 + (data[from] & 0x7f));
            byte[] frame = new byte[64 + to - from];
            System.arraycopy(data, from, frame, 64, to - from);
            MemorySegment memory = MemorySegment.ofArray(frame);
            new EthernetHeader().wrap(memory, 10).write(hardware, 0x0200_0000_0002L, EthernetHeader.IPV6);
            int next = new int[] {Ipv6Header.ICMP, Ipv6Header.TCP, 0, 43, 44, 60}[Math.floorMod(data[from], 6)];
            Ipv6Header ip = new Ipv6Header()
                    .wrap(memory, 24)
                    .write(to - from, next, 255, 0)
                    .source(own.high(), 2 + (from & 3))
                    .destination(own.high(), own.low());
            if (next == Ipv6Header.ICMP && to - from >= Icmpv6Header.LENGTH) {
                Icmpv6Header header = new Icmpv6Header().wrap(memory, 64);
                header.finish(header.type(), header.code(), ip.pseudoHeader(next, to - from), to - from);
            }
            frame[0] = VirtioNetHeader.DATA_VALID;
            link.arriving.add(frame);
            from = to;
        }
        tcp.onReadable();
        tcp.turn(1_000_000_002);
        tcp.flush(1_000_000_003);
        link.onWire();
    }

    @FuzzTest
    void anyPackets_atAListeningHost_areSurvived(byte[] data) throws IOException {
        TcpHost host = new TcpHost(Script.settings(), FlowKey.inet(ADDRESS), false, new FixedRandom(), 0);
        TcpLoop loop = host.newLoop(() -> {});
        List<ByteStream> accepted = new ArrayList<>();
        loop.listen(new InetSocketAddress(FlowKey.inet(ADDRESS), 7471), 4, accepted::add);
        MemorySegment memory = MemorySegment.ofArray(data);
        for (int from = 0; from < data.length; ) {
            int to = Math.min(data.length, from + 1 + (data[from] & 0xff));
            // As an IP packet, and as a segment for the port that is listened at.
            host.onPacket(memory, from, to, true, from);
            if (to - from >= TcpHeader.LENGTH) {
                data[from + 2] = 7471 >> 8;
                data[from + 3] = (byte) 7471;
                PacketBatch lent = new PacketBatch(to - from, 1);
                lent.slab().put(0, ByteBuffer.wrap(data), from, to - from);
                boolean ipv6 = (data[from] & 1) == 0;
                lent.add(to - from, ipv6 ? 1 : 0, IpAddress.mapped(0x0a00_0002), 9, data[from], 0);
                host.onEncapsulated(lent, 0, from);
            }
            loop.report();
            host.settle();
            while (host.transmit(from)) {
                assertTrue(host.out().length() <= 1040);
            }
            from = to;
        }
        assertTrue(host.connectionCount() <= 4 + accepted.size());
    }

    @FuzzTest
    void anySegments_inAConnection_areSurvived(byte[] data) throws IOException {
        HostileSegmentsTest.chosen(data);
    }

    @FuzzTest
    void anyFrames_atAHost_areSurvived(byte[] data) {
        FakeLink link = new FakeLink((data.length & 1) == 0, (data.length & 2) == 0, 1500);
        LinkAddress address = LinkAddress.parse("10.0.0.1/24", FlowKey.inet(0x0a00_0002));
        LinkTcp tcp = new LinkTcp(link, address, TcpSettings.defaults(), new FixedRandom(), 0);
        for (int from = 0; from < data.length; ) {
            int to = Math.min(data.length, from + 1 + (data[from] & 0x7f));
            byte[] frame = Arrays.copyOfRange(data, from, to);
            link.arriving.add(frame);
            if (link.ethernet() && frame.length > 24) {
                // Also for this host, so that what follows is looked at.
                byte[] addressed = frame.clone();
                new EthernetHeader()
                        .wrap(MemorySegment.ofArray(addressed), 10)
                        .write(
                                0x0256_0a00_0001L,
                                0x0200_0000_0002L,
                                (from & 1) == 0 ? EthernetHeader.ARP : EthernetHeader.IPV4);
                link.arriving.add(addressed);
            }
            from = to;
        }
        tcp.onReadable();
        tcp.turn(1);
        tcp.flush(2);
        link.onWire();
    }
}
