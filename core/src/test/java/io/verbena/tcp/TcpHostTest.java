package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.KeyedHash;
import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.wire.ip.IcmpHeader;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a host does besides its connections: listeners, addresses, ICMP, bounds. */
class TcpHostTest {

    private static final int ADDRESS = 0x0a00_0001;
    private static final int PEER = 0x0a00_0002;
    private static final InetSocketAddress LISTENED = new InetSocketAddress(FlowKey.inet(ADDRESS), 7471);

    private final TcpHost host = new TcpHost(Script.settings(), FlowKey.inet(ADDRESS), false, new FixedRandom(), 0);
    private final TcpLoop loop = host.newLoop(() -> {});
    private final List<ByteStream> accepted = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    private final StreamLoop.ConnectEvents connecting = new StreamLoop.ConnectEvents() {
        @Override
        public void onConnected(ByteStream stream) {
            accepted.add(stream);
        }

        @Override
        public void onConnectFailed(boolean refused, String sentence) {
            failures.add(sentence);
        }
    };

    private void packet(int source, int destination, int ports, int sequence, int flags) {
        byte[] bytes = new byte[40];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new TcpHeader()
                .wrap(memory, 20)
                .write(ports, sequence, 0, TcpHeader.lengthAndFlags(20, flags))
                .window(5000);
        new Ipv4Header().wrap(memory, 0).write(40, 1, Ipv4Header.TCP, 64).addresses(source, destination);
        host.onPacket(memory, 0, 40, true, 0);
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
        return new TcpHeader().wrap(MemorySegment.ofArray(packet), 20);
    }

    // RFC 4987 section 3.1: a flood of SYNs holds as many connections as the backlog says, and no buffers.
    @Test
    void synFlood_isBoundedByTheBacklogAndHoldsNoBuffers() throws IOException {
        loop.listen(LISTENED, 16, accepted::add);
        for (int i = 0; i < 10_000; i++) {
            packet(PEER + i, ADDRESS, 40_000 + (i & 1023) << 16 | 7471, i * 77, TcpHeader.SYN);
        }
        assertEquals(16, host.connectionCount());
        assertEquals(0, host.lentBuffers());
        // The others are answered with cookies, as far as answers may wait.
        assertEquals(64, host.counters().cookiesOut());
        assertEquals(10_000 - 16 - 64, host.counters().synsDropped());
        // They end when their answers are not acknowledged.
        for (long nowNs = 0; nowNs < 400_000_000_000L; nowNs += 1_000_000_000) {
            host.onDeadline(nowNs);
            sent();
        }
        assertEquals(0, host.connectionCount());
        packet(PEER, ADDRESS, 5 << 16 | 7471, 1, TcpHeader.SYN);
        assertEquals(1, host.connectionCount());
    }

    // RFC 4987 section 3.6: guesses begin no connection, and each is answered by one reset.
    @Test
    void acknowledgmentFlood_whileTheBacklogIsFull_beginsNoConnection() throws IOException {
        loop.listen(LISTENED, 1, accepted::add);
        packet(PEER, ADDRESS, 5 << 16 | 7471, 1, TcpHeader.SYN);
        packet(PEER, ADDRESS, 6 << 16 | 7471, 1, TcpHeader.SYN);
        assertEquals(1, host.counters().cookiesOut());
        sent();
        for (int i = 0; i < 100_000; i++) {
            acknowledgment(PEER + (i & 7), 7 + (i & 63), i, i * 0x9E37_79B1);
            assertEquals(1, sent().size());
        }
        assertEquals(1, host.connectionCount());
        assertEquals(0, host.counters().cookiesAccepted());
        assertEquals(100_000, host.counters().resetsOut());
    }

    private void acknowledgment(int source, int port, int sequence, int acknowledgment) {
        byte[] bytes = new byte[40];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new TcpHeader()
                .wrap(memory, 20)
                .write(port << 16 | 7471, sequence, acknowledgment, TcpHeader.lengthAndFlags(20, TcpHeader.ACK))
                .window(5000);
        new Ipv4Header().wrap(memory, 0).write(40, 1, Ipv4Header.TCP, 64).addresses(source, ADDRESS);
        host.onPacket(memory, 0, 40, true, 0);
    }

    // While forged SYNs arrive, every peer connects, also with a backlog of 1; the last bound is the one of
    // connections.
    @Test
    void synFlood_peersConnect() throws IOException {
        loop.listen(LISTENED, 1, accepted::add);
        for (int i = 0; i < 100; i++) {
            packet(PEER + 1000 + i, ADDRESS, 9 << 16 | 7471, i * 77, TcpHeader.SYN);
        }
        sent();
        for (int i = 0; i < 500; i++) {
            packet(PEER + 1, ADDRESS, 1000 + i << 16 | 7471, i, TcpHeader.SYN);
            TcpHeader answer = tcp(sent().getFirst());
            assertEquals(TcpHeader.SYN | TcpHeader.ACK, answer.flags());
            acknowledgment(PEER + 1, 1000 + i, i + 1, answer.sequence() + 1);
            loop.report();
            assertEquals(i + 1, accepted.size());
        }
        assertEquals(500, host.counters().cookiesAccepted());
        assertEquals(501, host.connectionCount());
    }

    // RFC 9293 section 3.9.2.3 [1, 2]: invalid sources, broadcast and multicast destinations.
    @Test
    void invalidAddresses_areIgnored() throws IOException {
        loop.listen(LISTENED, 16, accepted::add);
        packet(0xe000_0001, ADDRESS, 9 << 16 | 7471, 1, TcpHeader.SYN);
        packet(-1, ADDRESS, 9 << 16 | 7471, 1, TcpHeader.SYN);
        packet(0, ADDRESS, 9 << 16 | 7471, 1, TcpHeader.SYN);
        packet(PEER, -1, 9 << 16 | 7471, 1, TcpHeader.SYN);
        packet(PEER, 0xe000_0001, 9 << 16 | 7471, 1, TcpHeader.SYN);
        assertEquals(0, host.connectionCount());
        assertTrue(sent().isEmpty());
    }

    // RFC 9293 section 3.9.1.1 [1, 2]: listeners do not disturb each other, or connections that are being set up.
    @Test
    void listen_twiceOrDuringSetUp_failsOrLeavesTheOthersAlone() throws IOException {
        StreamLoop.Acceptor first = loop.listen(LISTENED, 16, accepted::add);
        packet(PEER, ADDRESS, 9 << 16 | 7471, 1, TcpHeader.SYN);
        assertThrows(IOException.class, () -> loop.listen(LISTENED, 16, accepted::add));
        assertEquals(1, host.connectionCount());
        first.close();
        loop.listen(LISTENED, 16, accepted::add);
        packet(PEER, ADDRESS, 10 << 16 | 7471, 1, TcpHeader.SYN);
        assertEquals(2, host.connectionCount());
    }

    // RFC 9293 section 3.9.1.1 [3, 5, 6]: the local address, and addresses that are not one host's.
    @Test
    void connect_invalidOrForeignAddress_isRejected() {
        loop.connect(new InetSocketAddress(FlowKey.inet(0xe000_0001), 1), connecting);
        loop.connect(new InetSocketAddress(FlowKey.inet(-1), 1), connecting);
        loop.connect(InetSocketAddress.createUnresolved("host", 1), connecting);
        SocketAddress foreign = new InetSocketAddress(FlowKey.inet(PEER), 5);
        loop.connect(Optional.of(foreign), new InetSocketAddress(FlowKey.inet(PEER), 1), connecting);
        loop.report();
        assertEquals(4, failures.size());
        SocketAddress own = new InetSocketAddress(FlowKey.inet(ADDRESS), 555);
        loop.connect(Optional.of(own), new InetSocketAddress(FlowKey.inet(PEER), 1), connecting);
        assertEquals(555, tcp(sent().getFirst()).sourcePort());
    }

    // RFC 9293 section 3.4.1 [1, 2]: a clock, and a function that is not computable without the key.
    @Test
    void initialSequenceNumbers_followAClockAndAKeyedHash() {
        FlowKey key = new FlowKey(IpAddress.ipv4(ADDRESS), IpAddress.ipv4(PEER), 5, 0);
        Choices choices = new Choices(new FixedRandom());
        assertEquals(250_000, choices.sequence(key, 1_000_000_000) - choices.sequence(key, 0));
        assertNotEquals(
                choices.sequence(key, 0),
                choices.sequence(new FlowKey(IpAddress.ipv4(ADDRESS), IpAddress.ipv4(PEER), 6, 0), 0),
                "another port");
        FixedRandom other = new FixedRandom();
        other.nextLong();
        assertNotEquals(choices.sequence(key, 0), new Choices(other).sequence(key, 0), "another key");
        // The reference value of SipHash-2-4 for the key 00..0f and the message 00..17.
        KeyedHash reference = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        assertEquals(0xb8ad50c6f649af94L, reference.of(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x1716151413121110L));
    }

    private byte[] error(int code, int ports, int sequence) {
        byte[] bytes = new byte[56];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new Ipv4Header().wrap(memory, 28).write(1040, 7, Ipv4Header.TCP, 63).addresses(ADDRESS, PEER);
        java.nio.ByteBuffer.wrap(bytes).putInt(48, ports).putInt(52, sequence);
        new IcmpHeader().wrap(memory, 20).finish(IcmpHeader.UNREACHABLE, code, 36);
        new Ipv4Header().wrap(memory, 0).write(56, 1, Ipv4Header.ICMP, 64).addresses(PEER, ADDRESS);
        return bytes;
    }

    private void deliver(byte[] bytes) {
        host.onPacket(MemorySegment.ofArray(bytes), 0, bytes.length, false, 0);
        loop.report();
    }

    // RFC 9293 section 3.9.2.2 [1, 3]: errors reach their connection, and soft ones do not end it.
    @Test
    void icmpErrors_softOnesAreSurvivedAndHardOnesEndASetUp() {
        loop.connect(new InetSocketAddress(FlowKey.inet(PEER), 80), connecting);
        TcpHeader syn = tcp(sent().getFirst());
        int ports = syn.ports();
        deliver(error(1, ports, syn.sequence()));
        deliver(error(0, ports, syn.sequence()));
        deliver(error(3, ports, syn.sequence() + 1));
        deliver(error(3, ports + 1, syn.sequence()));
        assertTrue(failures.isEmpty());
        deliver(error(3, ports, syn.sequence()));
        assertEquals(List.of("No route to the host"), failures);
        assertEquals(0, host.connectionCount());
    }

    // RFC 9293 section 3.9.2.2 [2]: Source Quench.
    @Test
    void icmpOthers_areIgnoredAndEchoIsAnswered() {
        byte[] quench = error(0, 1, 1);
        new IcmpHeader().wrap(MemorySegment.ofArray(quench), 20).finish(4, 0, 36);
        deliver(quench);
        assertTrue(sent().isEmpty());
        byte[] echo = new byte[60];
        echo[30] = 77;
        MemorySegment memory = MemorySegment.ofArray(echo);
        new IcmpHeader().wrap(memory, 20).finish(IcmpHeader.ECHO, 0, 40);
        new Ipv4Header().wrap(memory, 0).write(60, 1, Ipv4Header.ICMP, 64).addresses(PEER, ADDRESS);
        deliver(echo);
        byte[] reply = sent().getFirst();
        assertEquals(0, reply[20]);
        assertEquals(77, reply[30]);
        assertEquals(
                PEER, new Ipv4Header().wrap(MemorySegment.ofArray(reply), 0).destination());
    }

    // RFC 9293 section 3.9.2 [2]: IP options are skipped.
    @Test
    void ipOptions_areSkipped() throws IOException {
        loop.listen(LISTENED, 16, accepted::add);
        byte[] bytes = new byte[44];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new TcpHeader().wrap(memory, 24).write(9 << 16 | 7471, 1, 0, TcpHeader.lengthAndFlags(20, TcpHeader.SYN));
        Ipv4Header ip = new Ipv4Header().wrap(memory, 0).write(44, 1, Ipv4Header.TCP, 64);
        bytes[0] = 0x46;
        bytes[20] = 1;
        ip.addresses(PEER, ADDRESS);
        host.onPacket(memory, 0, 44, true, 0);
        assertEquals(1, host.connectionCount());
    }

    @Test
    void carrierLost_connectionsEndWithAReason() {
        loop.connect(new InetSocketAddress(FlowKey.inet(PEER), 80), connecting);
        host.onCarrierLost();
        loop.report();
        assertEquals(List.of("The network device or port of the connection is gone"), failures);
        assertEquals(0, host.connectionCount());
        assertFalse(host.transmit(0));
    }

    @Test
    void listen_atAnyPort_neverMeetsOneThatIsInUse() throws IOException {
        int[] draws = {0};
        RandomSource repeating = () -> draws[0]++ < 20 ? 0 : draws[0] * 0x9E37_79B9_7F4A_7C15L;
        TcpHost other = new TcpHost(Script.settings(), FlowKey.inet(ADDRESS), false, repeating, 0);
        TcpLoop streams = other.newLoop(() -> {});
        InetSocketAddress any = new InetSocketAddress(FlowKey.inet(ADDRESS), 0);
        for (int i = 0; i < 3; i++) {
            streams.listen(any, 16, accepted::add);
        }
    }
}
