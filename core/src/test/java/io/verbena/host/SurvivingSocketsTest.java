package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections over sockets of this host that lose their transport. */
class SurvivingSocketsTest {

    private static final int CUTS = 50;
    private static final int COUNTER = 1_000_000;
    private static final int RESULT = COUNTER + 64;

    private static void add(Site near, Site far, long id) {
        near.add(id, RESULT + 8 * (id % 64), far, COUNTER);
    }

    @Test
    void cutFiftyTimes_eachAdditionHappensOnce() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder one = new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress());
                CuttingForwarder two = new CuttingForwarder("127.0.0.2", (InetSocketAddress) listener.localAddress())) {
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, List.of(one.address(), two.address()));
            long id = 0;
            for (int cuts = 0; cuts < CUTS; cuts++) {
                int burst = 1 + cuts % 7;
                for (int i = 0; i < burst; i++) {
                    add(pair.near(), pair.far(), id + i);
                }
                if (cuts % 2 == 0) {
                    pair.near().complete(id++);
                    burst--;
                }
                long changes = pair.from().transportChanges().changes();
                one.cut();
                two.cut();
                for (int i = 0; i < burst; i++) {
                    pair.near().complete(id++);
                    assertEquals(id - 1, pair.near().word(RESULT + 8 * ((id - 1) % 64)), "results come in order");
                }
                Until.holds(
                        "the transport has changed",
                        () -> pair.from().transportChanges().changes() > changes);
            }
            assertEquals(id, pair.far().word(COUNTER));
            Site.exchange(pair.near(), pair.far(), 100_000, 3);
            pair.from().disconnect();
            assertTrue(pair.from().awaitClosed(Site.PATIENCE));
            assertTrue(pair.to().awaitClosed(Site.PATIENCE));
        }
    }

    @Test
    void migrate_fromSharedMemoryToTcpAndBack() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("auto"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("auto"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder other =
                        new CuttingForwarder("127.0.0.2", (InetSocketAddress) listener.localAddress())) {
            InetSocketAddress direct = (InetSocketAddress) listener.localAddress();
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, List.of(direct, other.address()));
            assertEquals(TransportType.SHARED_MEMORY, pair.from().transport());
            Site.exchange(pair.near(), pair.far(), 300_000, 1);
            for (int i = 1; i <= 4; i++) {
                long before = pair.from().transportChanges().changes();
                long beforeThere = pair.to().transportChanges().changes();
                add(pair.near(), pair.far(), i);
                pair.from().migrate();
                pair.near().complete(i);
                Until.holds(
                        "the transport has changed",
                        () -> pair.from().transportChanges().changes() > before
                                && pair.to().transportChanges().changes() > beforeThere);
                Site.exchange(pair.near(), pair.far(), 300_000, i);
            }
            assertEquals(4, pair.far().word(COUNTER));
            AsyncEvent event = client.pollAsyncEvents(Site.PATIENCE).getFirst();
            assertEquals(AsyncEventType.TRANSPORT_CHANGED, event.type());
        }
    }

    @Test
    void peerDoesNotAnswer_patienceEnds_workFails() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder only =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress())) {
            SurvivalOptions survival = SurvivalOptions.over().withPatience(Duration.ofMillis(300));
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, only.address(), survival);
            only.close();
            assertTrue(pair.from().awaitClosed(Site.PATIENCE));
            assertTrue(pair.to().awaitClosed(Site.PATIENCE));
            assertTrue(
                    pair.from().reason().contains("could not be continued"),
                    pair.from().reason());
            pair.near().queuePair.close();
            pair.far().queuePair.close();
        }
    }

    @Test
    void abort_endsTheConnectionOnBothSidesAtOnce() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0))) {
            for (int side = 0; side < 2; side++) {
                InetSocketAddress at = (InetSocketAddress) listener.localAddress();
                SurvivalOptions survival = SurvivalOptions.over().withPatience(Duration.ofSeconds(5));
                SurvivingPair pair = SurvivingPair.connect(client, server, listener, at, survival);
                Site.exchange(pair.near(), pair.far(), 100, side);
                (side == 0 ? pair.near() : pair.far()).queuePair.close();
                Connection left = side == 0 ? pair.to() : pair.from();
                assertTrue(left.awaitClosed(Site.PATIENCE));
                assertFalse(left.reason().isEmpty());
            }
        }
    }

    @Test
    void closedQueuePair_whileSurviving_isReleased() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder only =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress())) {
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, List.of(only.address()));
            assertTrue(pair.near().queuePair.postReceive(7, pair.near().memory, 0, 8));
            only.close();
            pair.near().queuePair.close();
            pair.far().queuePair.close();
            assertTrue(pair.near().cq.await(Site.PATIENCE));
            assertTrue(pair.from().awaitClosed(Site.PATIENCE));
            assertTrue(pair.to().awaitClosed(Site.PATIENCE));
        }
    }

    @Test
    void privateDataOfTheProgram_arriveAsTheyWere() throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            ConnectionOptions options = ConnectionOptions.defaults().surviving();
            Connection from = rnic.startConnect(
                    near.queuePair, listener.localAddress(), options.withPrivateData(new byte[] {1, 2}));
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            assertArrayEquals(new byte[] {1, 2}, request.privateData());
            Connection to = request.startAccept(far.queuePair, options.withPrivateData(new byte[] {3}));
            from.awaitEstablished(Site.PATIENCE);
            to.awaitEstablished(Site.PATIENCE);
            assertArrayEquals(new byte[] {3}, from.privateData());
            assertArrayEquals(new byte[] {1, 2}, to.privateData());
        }
    }

    @Test
    void optionThatHasNoEffect_isRefused() throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"))) {
            Site site = new Site(rnic);
            InetSocketAddress there = new InetSocketAddress("127.0.0.1", 9);
            ConnectionOptions options = ConnectionOptions.defaults().surviving();
            for (ConnectionOptions bad : List.of(
                    options.withRevision(1),
                    options.withPeerToPeer(false),
                    options.withPrivateData(new byte[461]),
                    ConnectionOptions.defaults().withPrivateData(new byte[] {'V', 'B', 'N', 'S', 0}))) {
                assertThrows(IllegalArgumentException.class, () -> rnic.startConnect(site.queuePair, there, bad));
            }
        }
        try (Rnic roce = Rnic.open(RnicOptions.defaults().withProvider("roce"))) {
            Site site = new Site(roce);
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> roce.startConnect(
                            site.queuePair,
                            new InetSocketAddress("127.0.0.1", 9),
                            ConnectionOptions.defaults().surviving()));
        }
    }

    @Test
    void ordinaryConnection_doesNotMigrate() throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"))) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Site.connect(near, far);
            Connection connection = near.queuePair.connection().orElseThrow();
            assertFalse(connection.survives());
            assertThrows(UnsupportedOperationException.class, connection::migrate);
        }
    }
}
