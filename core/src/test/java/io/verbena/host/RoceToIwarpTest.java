package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.ib.terms.CarriageOffer;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Connections whose messages packets of RoCE carry first, over sockets of this host. */
class RoceToIwarpTest {

    private static final int CUTS = 50;
    private static final int COUNTER = 1_000_000;
    private static final int RESULT = COUNTER + 64;
    private static final int LONG_READ = 400_000;
    private static final RnicOptions OPTIONS = RnicOptions.defaults().withProvider("roce+iwarp");
    private static final long FOREVER_NS = Duration.ofHours(1).toNanos();

    private record Pair(Site near, Site far, Connection from, Connection to) {}

    private static Pair connect(Rnic client, Rnic server, Listener listener, List<? extends SocketAddress> addresses)
            throws IOException {
        Site near = new Site(client);
        Site far = new Site(server);
        SocketAddress[] others = addresses.subList(1, addresses.size()).toArray(SocketAddress[]::new);
        ConnectionOptions options = ConnectionOptions.defaults().withSurvival(SurvivalOptions.over(others));
        Connection from =
                client.startConnect(near.queuePair, addresses.getFirst(), options.withPrivateData(new byte[] {1, 2}));
        ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
        assertArrayEquals(new byte[] {1, 2}, request.privateData());
        Connection to = request.startAccept(far.queuePair, options.withPrivateData(new byte[] {3}));
        from.awaitEstablished(Site.PATIENCE);
        to.awaitEstablished(Site.PATIENCE);
        assertArrayEquals(new byte[] {3}, from.privateData());
        assertTrue(from.survives() && to.survives());
        return new Pair(near, far, from, to);
    }

    private static void add(Pair pair, long id) {
        pair.near.add(id, RESULT + 8 * (id % 64), pair.far, COUNTER);
    }

    private static void takeResult(Pair pair, long id) {
        pair.near.complete(id);
        assertEquals(id, pair.near.word(RESULT + 8 * (id % 64)), "results come in order");
    }

    private static void close(Pair pair) throws IOException {
        pair.from.disconnect();
        assertTrue(pair.from.awaitClosed(Site.PATIENCE));
        assertTrue(pair.to.awaitClosed(Site.PATIENCE));
    }

    @Test
    void calm_packetsCarryTheMessages_andAStreamTheClose() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            assertEquals(TransportType.ROCE_V2, pair.from.transport());
            Site.exchange(pair.near, pair.far, 300_000, 1);
            add(pair, 0);
            takeResult(pair, 0);
            assertEquals(0, pair.from.transportChanges().changes());
            assertEquals(TransportType.ROCE_V2, pair.to.transport());
            close(pair);
        }
    }

    @Test
    void packetsDoNotArriveAnyMore_continuesOverTcp() throws IOException {
        PacketFaults blocked = PacketFaults.none().withOutages(40_000, FOREVER_NS);
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = new RoceIwarpProvider().open(OPTIONS, blocked);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            assertEquals(TransportType.ROCE_V2, pair.from.transport());
            long id = 0;
            while (pair.from.transportChanges().changes() == 0) {
                for (int i = 0; i < 8; i++) {
                    add(pair, id + i);
                }
                for (int i = 0; i < 8; i++) {
                    takeResult(pair, id++);
                }
            }
            assertEquals(TransportType.IWARP, pair.from.transport());
            Site.exchange(pair.near, pair.far, 300_000, 1);
            assertEquals(id, pair.far.word(COUNTER));
            close(pair);
        }
    }

    @Test
    void packetsNeverArrive_continuesOverTcp() throws IOException {
        PacketFaults blocked = PacketFaults.none().withOutages(1, FOREVER_NS);
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = new RoceIwarpProvider().open(OPTIONS, blocked);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            Site.exchange(pair.near, pair.far, 300_000, 1);
            assertEquals(TransportType.IWARP, pair.from.transport());
            close(pair);
        }
    }

    @Test
    void cutFiftyTimes_overPacketsAndThenStreams_eachAdditionHappensOnce() throws IOException {
        List<CuttingForwarder> forwarders = new ArrayList<>();
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            List<InetSocketAddress> addresses = new ArrayList<>();
            for (int i = 0; i <= SurvivalOptions.MOST_ADDRESSES; i++) {
                forwarders.add(new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress()));
                addresses.add(forwarders.getLast().address());
            }
            Pair pair = connect(client, server, listener, addresses);
            long id = 0;
            int carriages = 0;
            for (int cuts = 0; cuts < CUTS; cuts++) {
                int burst = 1 + cuts % 7;
                for (int i = 0; i < burst; i++) {
                    add(pair, id + i);
                }
                if (cuts % 2 == 0) {
                    takeResult(pair, id++);
                    burst--;
                }
                carriages += pair.from.transport() == TransportType.ROCE_V2 ? 1 : 0;
                long changes = pair.from.transportChanges().changes();
                for (CuttingForwarder each : forwarders) {
                    each.cut();
                }
                for (int i = 0; i < burst; i++) {
                    takeResult(pair, id++);
                }
                Until.holds(
                        "the transport has changed",
                        () -> pair.from.transportChanges().changes() > changes);
            }
            assertEquals(id, pair.far.word(COUNTER));
            assertTrue(carriages > 1 && carriages <= addresses.size(), "packets at each address once, not more");
            assertEquals(TransportType.IWARP, pair.from.transport());
            Site.exchange(pair.near, pair.far, 100_000, 3);
            close(pair);
        } finally {
            for (CuttingForwarder each : forwarders) {
                each.close();
            }
        }
    }

    /** A long Read is several requests of RC, and is counted once. */
    @Test
    void longReads_cutInTheirMiddle_bringAllBytes() throws IOException {
        RnicOptions shortPackets = OPTIONS.withInfiniband(it -> it.withPathMtuBytes(256));
        List<CuttingForwarder> forwarders = new ArrayList<>();
        try (Rnic client = Rnic.open(shortPackets);
                Rnic server = Rnic.open(shortPackets);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            List<InetSocketAddress> addresses = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                forwarders.add(new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress()));
                addresses.add(forwarders.getLast().address());
            }
            Pair pair = connect(client, server, listener, addresses);
            long id = 0;
            for (int cuts = 0; cuts < addresses.size() - 1; cuts++) {
                pair.far.fill(0, LONG_READ, cuts);
                add(pair, id);
                assertTrue(pair.near.queuePair.postRead(
                        1_000, pair.near.memory, 0, LONG_READ, pair.far.memory.remote(), 0, WrFlags.SIGNALLED));
                add(pair, id + 1);
                assertTrue(pair.near.queuePair.postRead(
                        1_001, pair.near.memory, LONG_READ, LONG_READ, pair.far.memory.remote(), 0, WrFlags.SIGNALLED));
                if (cuts % 2 == 0) {
                    takeResult(pair, id); // so that the Read after it is under way
                }
                for (CuttingForwarder each : forwarders) {
                    each.cut();
                }
                if (cuts % 2 != 0) {
                    takeResult(pair, id);
                }
                pair.near.complete(1_000);
                takeResult(pair, id + 1);
                pair.near.complete(1_001);
                id += 2;
                pair.near.expect(0, LONG_READ, cuts);
                pair.near.expect(LONG_READ, LONG_READ, cuts);
            }
            assertEquals(id, pair.far.word(COUNTER));
            close(pair);
        } finally {
            for (CuttingForwarder each : forwarders) {
                each.close();
            }
        }
    }

    @Test
    void sideThatAcceptedCloses_everythingPostedIsComplete() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            for (int i = 0; i < 16; i++) {
                assertTrue(pair.far.queuePair.postWrite(
                        i, pair.far.memory, 0, 60_000, pair.near.memory.remote(), 0, WrFlags.SIGNALLED));
            }
            pair.to.disconnect();
            for (int i = 0; i < 16; i++) {
                pair.far.complete(i);
            }
            assertTrue(pair.to.awaitClosed(Site.PATIENCE));
            assertTrue(pair.from.awaitClosed(Site.PATIENCE));
        }
    }

    /** Nothing listens any more when a side closes, or its RNIC: the close needs no further connection. */
    @Test
    void closeWithoutAListener_isGraceful_withEverythingPosted() throws IOException {
        for (boolean whole : new boolean[] {false, true}) {
            try (Rnic client = Rnic.open(OPTIONS);
                    Rnic server = Rnic.open(OPTIONS)) {
                Pair pair;
                try (Listener listener = server.listen(StreamProbe.loopback(0))) {
                    pair = connect(client, server, listener, List.of(listener.localAddress()));
                }
                for (int i = 0; i < 16; i++) {
                    assertTrue(pair.near.queuePair.postWrite(
                            i, pair.near.memory, 0, 60_000, pair.far.memory.remote(), 0, WrFlags.SIGNALLED));
                }
                if (whole) {
                    server.close();
                } else {
                    pair.from.disconnect();
                }
                for (int i = 0; i < 16; i++) {
                    pair.near.complete(i);
                }
                assertTrue(pair.from.awaitClosed(Site.PATIENCE));
                assertEquals(ConnectionState.CLOSED, pair.from.state());
                assertEquals(0, pair.from.transportChanges().changes());
            }
        }
    }

    /** Two networks: the packets of each belong to another address of the server. */
    @Test
    void left_withAnotherAddress_packetsOfThatAddressCarryTheMessages() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS.withDevice("127.0.0.77,127.0.0.78"));
                Listener one = server.listen(new InetSocketAddress("127.0.0.77", 0));
                Listener two = server.listen(new InetSocketAddress("127.0.0.78", 0))) {
            Pair pair = connect(client, server, one, List.of(one.localAddress(), two.localAddress()));
            Site.exchange(pair.near, pair.far, 100_000, 1);
            pair.from.migrate();
            Until.holds(
                    "the transport has changed",
                    () -> pair.from.transportChanges().changes() == 1);
            assertEquals(TransportType.ROCE_V2, pair.from.transport());
            assertEquals(two.localAddress(), pair.from.remoteAddress());
            Site.exchange(pair.near, pair.far, 100_000, 2);
            close(pair);
        }
    }

    @Test
    void wrongKey_failsTheRequestOnly_withItsReason() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            assertTrue(pair.near.queuePair.postWrite(
                    7, pair.near.memory, 0, 8, pair.far.memory.remote().address(), 0x1234567, WrFlags.SIGNALLED));
            assertTrue(pair.near.cursor.next() || pair.near.cq.await(Site.PATIENCE) && pair.near.cursor.next());
            assertEquals(CompletionStatus.REMOTE_ACCESS, pair.near.cursor.status());
            assertTrue(pair.from.awaitClosed(Site.PATIENCE));
            assertTrue(pair.to.awaitClosed(Site.PATIENCE));
        }
    }

    @Test
    void abort_endsTheConnectionOnBothSidesAtOnce() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            for (int side = 0; side < 2; side++) {
                Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
                Site.exchange(pair.near, pair.far, 100, side);
                (side == 0 ? pair.near : pair.far).queuePair.close();
                Connection left = side == 0 ? pair.to : pair.from;
                assertTrue(left.awaitClosed(Site.PATIENCE));
                assertFalse(left.reason().isEmpty());
            }
        }
    }

    @Test
    void peerHasStreamsOnly_survivesOverThem() throws IOException {
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            assertEquals(TransportType.IWARP, pair.from.transport());
            pair.from.migrate();
            Site.exchange(pair.near, pair.far, 100_000, 1);
            close(pair);
        }
    }

    /** Whatever a stranger offers, only its own connection is lost, and the places of packets are free again. */
    @Test
    void hostileOffers_affectNothingElse() throws IOException {
        Random random = new Random(5);
        try (Rnic client = Rnic.open(OPTIONS);
                Rnic server = Rnic.open(OPTIONS);
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            for (int i = 0; i < 40; i++) {
                byte[] offer = new byte[i % 2 == 0 ? CarriageOffer.LENGTH : random.nextInt(32)];
                random.nextBytes(offer);
                if (i % 4 == 0) {
                    new CarriageOffer()
                            .wrap(MemorySegment.ofArray(offer), 0)
                            .mtuCode(3)
                            .address(0, 0xffff_7f00_0009L);
                }
                byte[] agreement = SurvivalAgreement.random(0, random::nextLong).before(new byte[0]);
                ConnectionOptions hostile =
                        ConnectionOptions.defaults().withPrivateData(CarriageHeader.before(offer, agreement));
                Site stranger = new Site(client);
                Site far = new Site(server);
                SocketChannel channel = SocketChannel.open(listener.localAddress());
                Connection asking = client.takeOver(
                        stranger.queuePair,
                        channel,
                        StreamConversion.asInitiator().withOptions(hostile));
                listener.nextRequest(Site.PATIENCE)
                        .orElseThrow()
                        .startAccept(far.queuePair, ConnectionOptions.defaults().surviving());
                asking.awaitEstablished(Site.PATIENCE);
                far.queuePair.close();
                stranger.queuePair.close();
            }
            Pair pair = connect(client, server, listener, List.of(listener.localAddress()));
            assertEquals(TransportType.ROCE_V2, pair.from.transport());
            Site.exchange(pair.near, pair.far, 100_000, 1);
            close(pair);
        }
    }
}
