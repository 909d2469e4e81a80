package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpTraceTest {
    private static final int SYN = 0x02;
    private static final int FIN = 0x01;

    private static List<ByteBuffer> packets(byte[] file) {
        List<ByteBuffer> packets = new ArrayList<>();
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(file));
        while (reader.next() == PcapngReader.Outcome.PACKET) {
            packets.add(ByteBuffer.wrap(file, (int) reader.packetOffset(), reader.packetLength())
                    .slice());
        }
        return packets;
    }

    private static int foldedSum(ByteBuffer packet, int from, int length, int start) {
        int sum = start;
        for (int i = 0; i < length; i++) {
            int value = packet.get(from + i) & 0xff;
            sum += (i & 1) == 0 ? value << 8 : value;
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        return sum;
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 200", "false, 65495", "true, 333", "true, 1448"})
    void twoStreams_traced_comeOutAgain(boolean ipv6, int mss) {
        SampleConversation sample = new SampleConversation(false, ipv6, mss);
        List<Captures.Connection> connections = Captures.connections(sample.pcapng);
        assertEquals(1, connections.size());
        assertArrayEquals(sample.initiator, connections.get(0).initiator());
        assertArrayEquals(sample.responder, connections.get(0).responder());
    }

    @Test
    void tracesThatShareMemory_eachHasItsOwnBytes() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        byte[] first = {1, 2, 3, 4};
        byte[] second = {5, 6, 7, 8};
        try (PcapngWriter writer = new PcapngWriter(file, PcapngWriter.ETHERNET)) {
            ByteBuffer scratch = TcpTrace.scratch(100);
            TcpTrace one = new TcpTrace(
                    writer, new InetSocketAddress("10.0.0.1", 1), new InetSocketAddress("10.0.0.2", 2), 100, scratch);
            one.open(1);
            // The position of the memory is somewhere now.
            TcpTrace other = new TcpTrace(
                    writer, new InetSocketAddress("10.0.0.1", 3), new InetSocketAddress("10.0.0.2", 2), 100, scratch);
            other.open(2);
            one.data(TcpTrace.Side.INITIATOR, first, 3);
            other.data(TcpTrace.Side.INITIATOR, second, 4);
        }
        List<Captures.Connection> connections = Captures.connections(file.toByteArray());
        assertArrayEquals(first, connections.get(0).initiator());
        assertArrayEquals(second, connections.get(1).initiator());
    }

    @ParameterizedTest
    @CsvSource({"false, 7", "false, 1448", "true, 7", "true, 1448"})
    void everyPacket_checksums_addUpToAllOnes(boolean ipv6, int mss) {
        // RFC 9293 section 3.1: the sum over pseudo header, header and data, checksum included, is all ones.
        for (ByteBuffer packet : packets(new SampleConversation(true, ipv6, mss).pcapng)) {
            int tcp = 14 + (ipv6 ? 40 : 20);
            int tcpLength = packet.limit() - tcp;
            if (!ipv6) {
                assertEquals(0xffff, foldedSum(packet, 14, 20, 0));
                assertEquals(packet.limit() - 14, packet.getShort(16) & 0xffff);
            }
            int addresses = ipv6 ? 32 : 8;
            assertEquals(
                    0xffff,
                    foldedSum(packet, tcp, tcpLength, foldedSum(packet, tcp - addresses, addresses, 6 + tcpLength)));
        }
    }

    @Test
    void everyPacket_sequenceAndAcknowledgement_countAllBytesSent() {
        int[] next = {0x1000_0000, 0x2000_0000};
        for (ByteBuffer packet : packets(new SampleConversation(false, false, 100).pcapng)) {
            int side = packet.getShort(34) == (short) 40000 ? 0 : 1;
            int flags = packet.get(47);
            assertEquals(next[side], packet.getInt(38));
            if ((flags & 0x10) != 0) {
                assertEquals(next[1 - side], packet.getInt(42));
            }
            int payload = packet.limit() - 34 - (packet.get(46) >> 4 & 0xf) * 4;
            next[side] += payload + ((flags & (SYN | FIN)) != 0 ? 1 : 0);
        }
    }

    @Test
    void longData_traced_isCutAtMss() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (PcapngWriter out = new PcapngWriter(file, PcapngWriter.ETHERNET)) {
            TcpTrace trace = new TcpTrace(
                    out, SampleConversation.endpoint(false, 1, 1), SampleConversation.endpoint(false, 2, 2), 100);
            trace.data(TcpTrace.Side.INITIATOR, new byte[250], 5);
            trace.rst(TcpTrace.Side.RESPONDER, 6);
        }
        List<ByteBuffer> packets = packets(file.toByteArray());
        assertEquals(
                List.of(154, 154, 104, 54),
                packets.stream().map(ByteBuffer::limit).toList());
        assertEquals(0x14, packets.get(3).get(47));
    }

    @Test
    void mixedFamilies_traced_showTheIpv4SideMapped() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (PcapngWriter out = new PcapngWriter(file, PcapngWriter.ETHERNET)) {
            new TcpTrace(out, SampleConversation.endpoint(false, 1, 1), SampleConversation.endpoint(true, 2, 2), 100)
                    .open(1);
        }
        ByteBuffer syn = packets(file.toByteArray()).get(0);
        assertEquals((short) 0x86dd, syn.getShort(12));
        byte[] source = new byte[16];
        syn.get(22, source);
        assertEquals("00000000000000000000ffff0a000001", Bytes.text(source));
    }

    @Test
    void impossibleArguments_construct_isRefusedWithSentence() throws IOException {
        InetSocketAddress address = SampleConversation.endpoint(false, 1, 1);
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 1);
        try (PcapngWriter out = new PcapngWriter(new ByteArrayOutputStream(), PcapngWriter.ETHERNET)) {
            assertSame(
                    IllegalArgumentException.class,
                    assertThrows(RuntimeException.class, () -> new TcpTrace(out, address, address, 0))
                            .getClass());
            assertThrows(IllegalArgumentException.class, () -> new TcpTrace(out, address, address, 65496));
            assertThrows(IllegalArgumentException.class, () -> new TcpTrace(out, address, unresolved, 100));
        }
    }
}
