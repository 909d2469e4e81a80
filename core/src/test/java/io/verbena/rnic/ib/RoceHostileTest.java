package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.Addresses;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Icrc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packets that no honest peer sends, at the port of an RNIC. No exception occurs (the world fails if a bug is logged), memory
 * without rights is not touched, and connections of other peers are not affected.
 */
class RoceHostileTest {

    private static final int PACKETS = 2_000;
    private static final byte UNTOUCHED = 0x5a;
    private static final InetSocketAddress STRANGER = new InetSocketAddress(
            InetAddress.ofLiteral("10.0.0.99"), ManualWorld.roceAddress(1).getPort());

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private void inject(InetSocketAddress from, byte[] packet) {
        world.packets.inject(from, ManualWorld.roceAddress(2), packet);
    }

    /** Makes the ICRC of a packet to the second RNIC right. */
    private static byte[] signed(InetSocketAddress from, byte[] packet) {
        if (packet.length < 16) {
            return packet;
        }
        InetSocketAddress to = ManualWorld.roceAddress(2);
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(from.getAddress()), Addresses.low(from.getAddress()), from.getPort())
                .target(Addresses.high(to.getAddress()), Addresses.low(to.getAddress()), to.getPort());
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
        return packet;
    }

    private static byte[] damaged(byte[] packet, SplittableRandom random) {
        byte[] copy = packet.clone();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            copy[random.nextInt(random.nextBoolean() ? Math.min(60, copy.length) : copy.length)] =
                    (byte) random.nextInt();
        }
        return random.nextInt(8) == 0 ? Arrays.copyOf(copy, random.nextInt(copy.length + 1)) : copy;
    }

    private void connectAndExchange(Pair pair) throws IOException {
        QueuePair near = pair.fresh(pair.a);
        QueuePair far = pair.fresh(pair.b);
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            Connection connection =
                    pair.a.rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request =
                    listener.nextRequest(Duration.ofSeconds(5)).orElseThrow();
            request.accept(far);
            connection.awaitEstablished(Duration.ofSeconds(5));
        }
        pair.a.polled();
        pair.b.polled();
        far.postReceive(21, pair.b.memory, 0, 8);
        near.postSend(22, pair.a.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("22 SUCCESS"), pair.a.polled());
        assertEquals(List.of("21 SUCCESS"), pair.b.polled());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void strangerSendsAnything_connectionsAreNotAffected(long seed) throws IOException {
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 3_000);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 3_000, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(3, pair.a.memory, 0, 3_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        world.packets.tap = Optional.empty();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < PACKETS; i++) {
            byte[] packet;
            if (random.nextInt(4) == 0) {
                packet = new byte[random.nextInt(300)];
                random.nextBytes(packet);
            } else {
                packet = damaged(seen.get(random.nextInt(seen.size())), random);
            }
            inject(STRANGER, random.nextInt(5) == 0 ? packet : signed(STRANGER, packet));
            world.settle();
        }
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
        connectAndExchange(pair);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void peerSendsAnything_memoryWithoutRightsIsNotTouched(long seed) throws IOException {
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        Pair pair = new Pair(world).connect();
        MemoryRegion secret = pair.b.domain.allocate(4_096, AccessRight.LOCAL_WRITE);
        secret.segment().fill(UNTOUCHED);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 3_000);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 3_000, WrFlags.SIGNALLED);
        pair.a.queuePair.postWrite(3, pair.a.memory, 0, 3_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(4, pair.a.memory, 0, 3_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        world.packets.tap = Optional.empty();
        SplittableRandom random = new SplittableRandom(seed);
        InetSocketAddress peer = ManualWorld.roceAddress(1);
        for (int i = 0; i < PACKETS; i++) {
            inject(peer, signed(peer, damaged(seen.get(random.nextInt(seen.size())), random)));
            world.settle();
        }
        byte[] content = new byte[4_096];
        MemorySegment.copy(secret.segment(), 0, MemorySegment.ofArray(content), 0, content.length);
        for (byte each : content) {
            assertEquals(UNTOUCHED, each);
        }
        connectAndExchange(new Pair(world));
    }

    /** The first packet of an RDMA Write between the sides of a pair, as it was on the wire. */
    private byte[] writeOf(Pair pair) {
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        world.packets.tap = Optional.empty();
        return seen.getFirst();
    }

    @Test
    void guessedNumbers_areDropped() throws IOException {
        Pair pair = new Pair(world).connect();
        byte[] write = writeOf(pair);
        SplittableRandom random = new SplittableRandom(5);
        long sent = world.packets.sent;
        for (int i = 0; i < PACKETS; i++) {
            byte[] guess = write.clone();
            for (int at = 5; at < 8; at++) {
                guess[at] = (byte) random.nextInt();
            }
            inject(STRANGER, signed(STRANGER, guess));
        }
        world.settle();
        assertEquals(sent, world.packets.sent, "a guess gets no answer");
        connectAndExchange(pair);
    }

    @Test
    void floodOfRequests_isBoundedAndHonestPeersConnect() throws IOException {
        List<byte[]> seen = new ArrayList<>();
        Pair pair = new Pair(world);
        Listener listener = pair.b.rnic.listen(world.address());
        world.packets.tap = Optional.of(seen::add);
        Connection first =
                pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
        world.settle();
        world.packets.tap = Optional.empty();
        byte[] request = seen.getFirst();
        SplittableRandom random = new SplittableRandom(9);
        int localCommIdAt = 20 + 24;
        for (int i = 0; i < 20_000; i++) {
            byte[] forged = request.clone();
            for (int at = localCommIdAt; at < localCommIdAt + 4; at++) {
                forged[at] = (byte) random.nextInt();
            }
            // The queue pair number too, or the request would be for a stale connection.
            for (int at = localCommIdAt + 32; at < localCommIdAt + 35; at++) {
                forged[at] = (byte) random.nextInt();
            }
            inject(STRANGER, signed(STRANGER, forged));
            if (i % 100 == 0) {
                world.settle();
            }
        }
        world.settle();
        int held = 0;
        boolean honest = false;
        while (true) {
            Optional<ConnectionRequest> next = listener.nextRequest(Duration.ZERO);
            if (next.isEmpty()) {
                break;
            }
            held++;
            boolean same = next.get().remoteAddress().equals(first.localAddress());
            honest |= same;
            if (same) {
                next.get().accept(pair.b.queuePair);
            } else {
                next.get().reject(new byte[0]);
            }
        }
        assertTrue(held > 10 && held <= 16, held + " requests of an address that has not answered are held");
        assertTrue(honest, "the request that came first is still there");
        first.awaitEstablished(Duration.ofSeconds(5));
        listener.close();
        connectAndExchange(pair);
        world.advance(60_000_000_000L);
        assertEquals(2 + 2, pair.b.rnic.engine(0).members(), "the port, management, and two connections");
    }

    /** A sender with the address of the peer and the number of the queue pair guesses PSNs, 50,000 per second. */
    @Test
    void scanOfPsns_withTheAddressOfThePeer_isReported_andAnsweredSlowly() throws IOException {
        Pair pair = new Pair(world).connect();
        byte[] write = writeOf(pair);
        int psn = (write[9] & 0xff) << 16 | (write[10] & 0xff) << 8 | write[11] & 0xff;
        InetSocketAddress peer = ManualWorld.roceAddress(1);
        long sent = world.packets.sent;
        for (int i = 1; i < 4_000; i++) {
            // Not among those that a correct peer may send: up to 2^20 from the expected one.
            int guess = psn + (1 << 21) + i * 3_001;
            byte[] forged = write.clone();
            forged[9] = (byte) (guess >> 16);
            forged[10] = (byte) (guess >> 8);
            forged[11] = (byte) guess;
            inject(peer, signed(peer, forged));
            world.advance(20_000);
        }
        // 80 ms: a burst of 16, then at most one per millisecond.
        long answers = world.packets.sent - sent;
        assertTrue(answers <= 16 + 81, answers + " answers");
        assertTrue(ManualWorld.events(pair.b.rnic).contains(AsyncEventType.PSN_SCAN));
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
        connectAndExchange(pair);
    }

    /** A flood that fills a large backlog before honest peers connect, and continues while they do. */
    @ParameterizedTest
    @CsvSource({"128, false", "4096, false", "128, true", "4096, true"})
    void floodOfRequests_beforeAndWhileHonestPeersConnect_theyConnect(int backlog, boolean manyAddresses)
            throws IOException {
        Pair pair = new Pair(world);
        Listener listener =
                pair.b.rnic.listen(world.address(), ListenOptions.defaults().withBacklog(backlog));
        byte[] request = requestOf(pair, listener);
        SplittableRandom random = new SplittableRandom(17);
        flood(request, random, 6_000, manyAddresses);
        for (int i = 0; i < 5; i++) {
            QueuePair near = pair.fresh(pair.a);
            Connection opening = pair.a.rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            world.settle();
            flood(request, random, 1_000, manyAddresses);
            acceptFrom(opening, listener, pair);
            opening.awaitEstablished(Duration.ofSeconds(5));
        }
    }

    /** The REQ that the first RNIC sends; its connection is abandoned. */
    private byte[] requestOf(Pair pair, Listener listener) throws IOException {
        List<byte[]> seen = new ArrayList<>();
        world.packets.tap = Optional.of(seen::add);
        Connection opening =
                pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
        world.settle();
        world.packets.tap = Optional.empty();
        opening.close();
        world.settle();
        return seen.getFirst();
    }

    private void flood(byte[] request, SplittableRandom random, int count, boolean manyAddresses) {
        for (int i = 0; i < count; i++) {
            byte[] forged = request.clone();
            for (int at : new int[] {44, 45, 46, 47, 76, 77, 78}) {
                forged[at] = (byte) random.nextInt(); // communication id and queue pair number
            }
            InetSocketAddress from = manyAddresses ? anywhere(random) : STRANGER;
            inject(from, signed(from, forged));
            if (i % 100 == 0) {
                world.settle();
            }
        }
        world.settle();
    }

    private static InetSocketAddress anywhere(SplittableRandom random) {
        String address = "172.16." + random.nextInt(256) + "." + random.nextInt(256);
        return new InetSocketAddress(InetAddress.ofLiteral(address), STRANGER.getPort());
    }

    private static void acceptFrom(Connection opening, Listener listener, Pair pair) {
        for (Optional<ConnectionRequest> next = listener.nextRequest(Duration.ZERO);
                next.isPresent();
                next = listener.nextRequest(Duration.ZERO)) {
            if (next.get().remoteAddress().equals(opening.localAddress())) {
                next.get().startAccept(pair.fresh(pair.b), ConnectionOptions.defaults());
                return;
            }
            next.get().reject(new byte[0]);
        }
        throw new AssertionError("the request of the honest peer was rejected");
    }

    /** Packets that a connection ignores do not show that its peer lives. */
    @Test
    void strangerNamesTheQueuePair_whosePeerHasVanished_theConnectionFails() throws IOException {
        Pair pair = new Pair(world).connect();
        byte[] write = writeOf(pair);
        world.hang(pair.a.rnic, ManualWorld.roceAddress(1));
        world.packets.vanish(ManualWorld.roceAddress(1));
        for (int second = 0; second < 60; second++) {
            inject(STRANGER, signed(STRANGER, write.clone()));
            world.advance(1_000_000_000L);
        }
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    /** Congestion notifications of a stranger have no effect; with the address of the peer they slow a connection, but do not end it. */
    @Test
    void forgedCongestionNotifications_aConnectionContinues() throws IOException {
        Pair pair = new Pair(world).connect();
        byte[] notification = notification(pair.b.queuePair.number());
        long strangerNs = writesDuring(pair, STRANGER, notification);
        assertTrue(strangerNs < 1_000_000, strangerNs + " ns with notifications of a stranger");
        long peerNs = writesDuring(pair, ManualWorld.roceAddress(1), notification);
        // 200,000 bytes at the least rate of 1.25 MB/s take 160 ms.
        assertTrue(peerNs > 100_000_000 && peerNs < 200_000_000, peerNs + " ns with notifications of the peer");
        assertEquals(InfinibandQueuePairState.RTS, pair.b.queuePair.state());
    }

    /** Writes 200,000 bytes while a notification arrives every 50 us; returns the time that takes. */
    private long writesDuring(Pair pair, InetSocketAddress from, byte[] notification) {
        for (int i = 0; i < 100; i++) {
            inject(from, signed(from, notification.clone()));
            world.advance(50_000);
        }
        long beganNs = world.nowNs;
        pair.b.queuePair.postWrite(1, pair.b.memory, 0, 100_000, pair.a.memory.remote(), 0, WrFlags.UNSIGNALLED);
        pair.b.queuePair.postWrite(2, pair.b.memory, 0, 100_000, pair.a.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        while (!pair.b.cursor.next()) {
            assertTrue(world.nowNs - beganNs < 1_000_000_000L, "the Writes do not complete");
            inject(from, signed(from, notification.clone()));
            world.advance(50_000);
        }
        assertEquals("SUCCESS", pair.b.cursor.status().name());
        return world.nowNs - beganNs;
    }

    /** BTH with BECN, 16 zero bytes and the ICRC (annex A17 of the InfiniBand architecture specification). */
    private static byte[] notification(int number) {
        byte[] packet = new byte[12 + 16 + Icrc.LENGTH];
        packet[0] = (byte) 0x81;
        packet[1] = 0x40;
        packet[2] = (byte) 0xff;
        packet[3] = (byte) 0xff;
        packet[4] = 0x40;
        packet[5] = (byte) (number >> 16);
        packet[6] = (byte) (number >> 8);
        packet[7] = (byte) number;
        return packet;
    }
}
