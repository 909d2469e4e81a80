package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connections of iWARP over the TCP of the library whose path changes: its MTU shrinks and grows, and it is interrupted for less and for more
 * time than the connection tolerates.
 */
@Tag(Seeds.TAG)
class PathChangesWorldTest {

    private static final int SEEDS = 4;
    private static final long MS = 1_000_000;
    private static final long S = 1_000 * MS;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int MOST = 60_000;
    private static final int ROUNDS = 40;

    /** Frames that carry IPv6 packets have a header of Ethernet. */
    private static final int ETHERNET = 14;

    /** UDP payload of a packet of 1,400 bytes, which is tried without a report. */
    private static final int COMMON_PAYLOAD = 1_400 - 28;

    /** Silence of 30 s ends a connection (docs/connections.md). */
    private static final long KEEP_ALIVE_NS = 30 * S;

    /** A peer that acknowledges nothing although it is heard ends it after 120 s (docs/tcp.md). */
    private static final long GIVE_UP_NS = 120 * S;

    /** The last of four probes leaves 3.75 s before the end; what arrives until then is in time. */
    private static final long LAST_PROBE_NS = KEEP_ALIVE_NS / 8;

    private static final long SLACK_NS = 2 * S;

    private enum Carrier {
        UDP,
        ETHERNET
    }

    /** One host with a queue pair. */
    private static final class Side {
        final VirtualHost host;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        Side(World world) {
            Progress progress = world.random().oneIn(2) ? Progress.ENGINE_THREAD : Progress.INLINE;
            host = world.addHost(RnicOptions.defaults()
                    .withProgress(progress)
                    .withCrc(true)
                    .withMarkers(world.random().oneIn(2)));
            ProtectionDomain domain = host.rnic().allocateProtectionDomain();
            cq = host.rnic().createCompletionQueue(64);
            cursor = cq.cursor();
            memory = domain.allocate(
                    2L * MOST, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
        }

        Connection connection() {
            return queuePair.connection().orElseThrow();
        }

        boolean completes() {
            return cursor.next() || cq.await(LONG) && cursor.next();
        }
    }

    /** A connection, and transfers over it: a Write of random length and content, then a Send. */
    private static final class Scene implements AutoCloseable {
        final World world;
        final Side client;
        final Side server;
        final PacketPlan plan;

        Scene(long seed, Carrier carrier, int mtu) throws IOException {
            world = new World(seed);
            if (carrier == Carrier.ETHERNET) {
                world.withTcpOverEthernet();
            }
            plan = PacketPlan.calm()
                    .withLoss(world.random().pick(0, 0, 200))
                    .withDelays(MS / 100, world.random().pick(1, 10) * MS);
            world.withTcp(TcpWeather.settings(world.random()).withMtu(mtu), plan);
            client = new Side(world);
            server = new Side(world);
            ConnectionOptions options = ConnectionOptions.defaults().withTimeout(LONG);
            try (Listener listener = server.host.rnic().listen(server.host.address(7471))) {
                client.host.rnic().startConnect(client.queuePair, listener.localAddress(), options);
                listener.nextRequest(LONG).orElseThrow().startAccept(server.queuePair, options);
                client.connection().awaitEstablished(LONG);
                server.connection().awaitEstablished(LONG);
            }
        }

        /** Posts a round; returns the length of its Write. */
        int post(int round) {
            int length = 1 + world.random().nextInt(MOST);
            client.memory.segment().asSlice(0, length).fill((byte) round);
            assertTrue(server.queuePair.postReceive(round, server.memory, MOST, 100));
            assertTrue(client.queuePair.postWrite(
                    round, client.memory, 0, length, server.memory.remote(), 0, WrFlags.UNSIGNALLED));
            assertTrue(client.queuePair.postSend(round, client.memory, 0, Math.min(length, 100), WrFlags.SIGNALLED));
            return length;
        }

        /** One side reads, so that it hears the other one. */
        void read(Side from, Side to) {
            from.queuePair.postRead(99, from.memory, MOST + 200, 8, to.memory.remote(), MOST + 200, WrFlags.SIGNALLED);
            assertTrue(
                    from.completes() && from.cursor.ok(),
                    () -> from.connection().reason());
        }

        /** Posts what cannot be transferred in small packets, in either direction. */
        void postReadOrWrite() {
            if (world.random().oneIn(2)) {
                client.queuePair.postRead(0, client.memory, 0, MOST, server.memory.remote(), 0, WrFlags.SIGNALLED);
            } else {
                client.queuePair.postWrite(0, client.memory, 0, MOST, server.memory.remote(), 0, WrFlags.SIGNALLED);
            }
        }

        void finish(int round, int length) {
            for (Side side : new Side[] {server, client}) {
                assertTrue(side.completes(), () -> "round " + round + ": " + side.connection());
                assertEquals(
                        CompletionStatus.SUCCESS,
                        side.cursor.status(),
                        () -> "round " + round + " after " + world.elapsedNs() / MS + " ms: "
                                + client.connection().reason() + " / "
                                + server.connection().reason());
            }
            for (int i = 0; i < length; i++) {
                assertEquals((byte) round, server.memory.segment().get(ValueLayout.JAVA_BYTE, i));
            }
        }

        void transfer(int from, int to) {
            for (int round = from; round < to; round++) {
                finish(round, post(round));
                world.runFor(world.random().sizeNs(20 * MS));
            }
        }

        /** Both ends report that they have lost the connection, at most this long after an instant. */
        void bothEndBy(long sinceNs, long boundNs) {
            for (Side side : new Side[] {client, server}) {
                assertTrue(side.connection().awaitClosed(LONG), () -> "still open: " + side.connection());
                long tookNs = world.elapsedNs() - sinceNs;
                assertTrue(tookNs <= boundNs, () -> side.connection() + " ended after " + tookNs / MS + " ms");
            }
        }

        @Override
        public void close() {
            world.close();
        }
    }

    /** The MTU of the path changes ten times, at any time. */
    private static void changeMtu(Scene scene, int... mtus) {
        SimRandom random = scene.world.random();
        for (int i = 0; i < 10; i++) {
            int mtu = mtus[random.nextInt(mtus.length)];
            scene.world.after(
                    random.nextInt(2_000) * MS, () -> scene.world.packets().plan(scene.plan.withMtu(mtu)));
        }
    }

    /** What is too long vanishes; packets of 1,400 bytes pass always. */
    @ParameterizedTest
    @EnumSource
    void pathMtu_changesWithoutReports_dataIsIntact(Carrier carrier) {
        int header = carrier == Carrier.ETHERNET ? ETHERNET : -28;
        Seeds.each(SEEDS, seed -> {
            try (Scene scene = new Scene(seed, carrier, 9_000)) {
                changeMtu(scene, 1_400 + header, 1_500 + header, 4_000 + header, 9_000 + header);
                scene.transfer(0, ROUNDS);
            }
        });
    }

    /** A router reports the size of what passes, down to the least MTU of IPv6. */
    @Test
    void pathMtu_changesWithReports_dataIsIntact() {
        Seeds.each(SEEDS, seed -> {
            try (Scene scene = new Scene(seed, Carrier.ETHERNET, 9_000)) {
                scene.world.packets().reportTooBig(true);
                changeMtu(scene, 1_280 + ETHERNET, 1_300 + ETHERNET, 1_500 + ETHERNET, 9_000 + ETHERNET);
                scene.transfer(0, ROUNDS);
            }
        });
    }

    /** Smaller than what is tried without a report: the sender gives up, and its peer notices. */
    @Test
    void pathMtu_belowWhatIsTried_bothEndsReportTheLossInTime() {
        Seeds.each(SEEDS, seed -> {
            try (Scene scene = new Scene(seed, Carrier.UDP, 1_500)) {
                scene.transfer(0, 5);
                scene.world.packets().plan(scene.plan.withMtu(COMMON_PAYLOAD / 2));
                long sinceNs = scene.world.elapsedNs();
                scene.postReadOrWrite();
                scene.bothEndBy(sinceNs, GIVE_UP_NS + KEEP_ALIVE_NS + SLACK_NS);
            }
        });
    }

    private static void interrupt(Scene scene) {
        scene.world.packets().partition(scene.client.host.inetAddress(), scene.server.host.inetAddress());
    }

    /**
     * Shorter than a quarter of the keep-alive time at any time: the probe of the other half finds the path again, and TCP repeats at least
     * once in as much time as the interruption took. Longer if the peers have just heard each other.
     */
    @ParameterizedTest
    @EnumSource
    void partition_healsInTime_dataIsIntact(Carrier carrier) {
        Seeds.each(SEEDS, seed -> interruptAndHeal(seed, carrier));
    }

    /** The hardware address of a peer was forgotten, and the one packet that was kept for it was not the one that mattered. */
    @Test
    void partition_peerInDoubt_healsInTime_dataIsIntact() throws IOException {
        interruptAndHeal(264_234_597_039_048L, Carrier.ETHERNET);
    }

    private static void interruptAndHeal(long seed, Carrier carrier) throws IOException {
        try (Scene scene = new Scene(seed, carrier, 1_500)) {
            SimRandom random = scene.world.random();
            for (int i = 0; i < 5; i++) {
                boolean heard = random.oneIn(2);
                scene.transfer(2 * i, 2 * i + 1);
                if (heard) {
                    scene.read(scene.client, scene.server);
                    scene.read(scene.server, scene.client);
                }
                int length = scene.post(2 * i + 1);
                scene.world.runFor(random.sizeNs(20 * MS));
                interrupt(scene);
                long mostNs = heard ? KEEP_ALIVE_NS - LAST_PROBE_NS - SLACK_NS : KEEP_ALIVE_NS / 4 - SLACK_NS / 4;
                scene.world.runFor(random.nextInt((int) (mostNs / MS)) * MS);
                scene.world.packets().heal();
                scene.finish(2 * i + 1, length);
            }
            assertFalse(scene.client.connection().state().ended());
            assertFalse(scene.server.connection().state().ended());
        }
    }

    /** Longer than the keep-alive time: both ends, idle or not, report the loss before it heals. */
    @ParameterizedTest
    @EnumSource
    void partition_lasts_bothEndsReportTheLossInTime(Carrier carrier) {
        Seeds.each(SEEDS, seed -> {
            try (Scene scene = new Scene(seed, carrier, 1_500)) {
                SimRandom random = scene.world.random();
                scene.transfer(0, 3);
                if (random.oneIn(2)) {
                    scene.post(3);
                    scene.world.runFor(random.sizeNs(20 * MS));
                }
                interrupt(scene);
                scene.bothEndBy(scene.world.elapsedNs(), KEEP_ALIVE_NS + SLACK_NS);
                scene.world.packets().heal();
            }
        });
    }
}
