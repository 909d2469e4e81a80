package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a listener sends to addresses that may be forged, and that peers behind a path with losses connect nevertheless. */
class SynAnswersTest {

    private static final long S = 1_000_000_000;
    private static final int PEER = 0x0a00_0002;
    private static final InetAddress SERVER = FlowKey.inet(0x0a00_0001);

    /** Small buffers: a thousand hosts take a while to clear those of 1 MiB, and no test fills one. */
    private static final TcpSettings SETTINGS = TcpSettings.defaults().withBuffers(64 << 10, 64 << 10);

    private static List<byte[]> sent(TcpHost host, long nowNs) {
        List<byte[]> packets = new ArrayList<>();
        while (host.transmit(nowNs)) {
            packets.add(host.out()
                    .slab()
                    .segment()
                    .asSlice(PacketOut.OFFSET, host.out().length())
                    .toArray(ValueLayout.JAVA_BYTE));
        }
        return packets;
    }

    /** A SYN with any options, an acknowledgment of nothing, or a reset that misses. */
    private static String segment(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> ". 1:1 ack 900 win 5000";
            case 1 -> "R 5000000:5000000";
            case 2 -> "S 77:77 win 5000 mss 1000";
            default ->
                "S 0:0 win 5000"
                        + (random.nextBoolean() ? " mss 1000" : "")
                        + (random.nextBoolean() ? " sackOK" : "")
                        + (random.nextBoolean() ? " wscale 7" : "")
                        + (random.nextBoolean() ? " ts 100 0" : "");
        };
    }

    /** At every time, whatever arrives, and also when the listener or the host ends. */
    @Test
    void segmentsOfAForgedAddress_anyOptionsAndTimes_areAnsweredWithAtMostThreeTimesTheirBytes() throws IOException {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            TcpHost host = new TcpHost(SETTINGS, SERVER, false, new FixedRandom(), 0);
            TcpLoop loop = host.newLoop(() -> {});
            StreamLoop.Acceptor acceptor =
                    loop.listen(new InetSocketAddress(SERVER, Script.LOCAL_PORT), 2, accepted -> {});
            ScriptPeer peer = new ScriptPeer(7);
            peer.ports(Script.LOCAL_PORT, 50_000);
            long bytesIn = 0;
            long bytesOut = 0;
            long nowNs = 0;
            int end = 1 + random.nextInt(12);
            for (int step = 0; step < 60; step++) {
                if (step < end && random.nextInt(3) > 0) {
                    byte[] packet = peer.packet(segment(random), PEER);
                    bytesIn += packet.length;
                    host.onPacket(MemorySegment.ofArray(packet), 0, packet.length, false, nowNs);
                }
                if (step == end) {
                    acceptor.close();
                    host.abandon();
                }
                for (byte[] packet : sent(host, nowNs)) {
                    bytesOut += packet.length;
                }
                assertTrue(bytesOut <= 3 * bytesIn, "seed " + seed + ": " + bytesOut + " bytes for " + bytesIn);
                nowNs += random.nextInt(8) * S;
                while (Times.due(host.nextDeadlineNs(), nowNs)) {
                    host.onDeadline(nowNs);
                    for (byte[] packet : sent(host, nowNs)) {
                        bytesOut += packet.length;
                    }
                }
            }
            assertEquals(0, host.connectionCount(), "seed " + seed);
        }
    }

    /** A packet on its way. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Packet(TcpHost to, byte[] bytes, long atNs) {}

    /**
     * Connects over a path with a delay of 10 ms that loses packets; returns how long that took on both sides. The client sends the first
     * data, as in iWARP: it takes the place of an acknowledgment that is lost.
     */
    private static long connectNs(Random random, int lossPercent) throws IOException {
        TcpHost server = new TcpHost(SETTINGS, SERVER, false, random::nextLong, 0);
        TcpHost client = new TcpHost(SETTINGS, FlowKey.inet(PEER), false, random::nextLong, 0);
        TcpLoop serverLoop = server.newLoop(() -> {});
        TcpLoop clientLoop = client.newLoop(() -> {});
        List<ByteStream> open = new ArrayList<>();
        StreamLoop.Acceptor acceptor =
                serverLoop.listen(new InetSocketAddress(SERVER, Script.LOCAL_PORT), 2, open::add);
        clientLoop.connect(Optional.empty(), acceptor.localAddress(), new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                open.add(stream);
                try {
                    assertEquals(20, stream.write(ByteBuffer.allocateDirect(20)));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new AssertionError(sentence);
            }
        });
        PriorityQueue<Packet> path = new PriorityQueue<>(Comparator.comparingLong(Packet::atNs));
        long nowNs = 0;
        while (open.size() < 2) {
            for (TcpHost host : List.of(client, server)) {
                host.onDeadline(nowNs);
                for (byte[] bytes : sent(host, nowNs)) {
                    if (random.nextInt(100) >= lossPercent) {
                        path.add(new Packet(host == client ? server : client, bytes, nowNs + S / 100));
                    }
                }
            }
            long next = Times.earlier(client.nextDeadlineNs(), server.nextDeadlineNs());
            next = path.isEmpty() ? next : Times.earlier(next, path.element().atNs());
            if (next == Times.NEVER) {
                throw new AssertionError("neither side does anything: " + open.size() + " of 2 are established");
            }
            nowNs = Math.max(nowNs, next);
            while (!path.isEmpty() && path.element().atNs() <= nowNs) {
                Packet packet = path.remove();
                packet.to().onPacket(MemorySegment.ofArray(packet.bytes()), 0, packet.bytes().length, false, nowNs);
            }
            clientLoop.report();
            serverLoop.report();
        }
        return nowNs;
    }

    @Test
    void connect_fivePercentLost_twoSecondsForOneInAHundredAndAMinuteForAll() throws IOException {
        int runs = 2_000;
        long[] tookNs = new long[runs];
        for (int i = 0; i < runs; i++) {
            tookNs[i] = connectNs(new Random(i), 5);
        }
        Arrays.sort(tookNs);
        assertTrue(tookNs[runs * 98 / 100] <= 2 * S, () -> "98 %: " + tookNs[runs * 98 / 100] + " ns");
        assertTrue(tookNs[runs - 1] <= 60 * S, () -> "at most " + tookNs[runs - 1] + " ns");
    }
}
