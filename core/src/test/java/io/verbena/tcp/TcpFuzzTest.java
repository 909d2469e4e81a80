package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.base.Slab;
import io.verbena.port.ByteStream;
import io.verbena.wire.ip.ArpPacket;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.IcmpHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
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
        if (IcmpHeader.fits(data.length)) {
            new IcmpHeader().wrap(memory, 0).describe(out);
        }
        assertTrue(InternetChecksum.of(InternetChecksum.sum(memory, 0, data.length)) <= 0xffff);
        assertTrue(out.length() < 1_000);
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
                Slab lent = new Slab(to - from);
                lent.put(0, ByteBuffer.wrap(data), from, to - from);
                host.onEncapsulated(lent, 0, to - from, 0x0a00_0002, 9, from);
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
