package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whole RNICs with several paths in a connection: paths of other delays, paths that die and come back. */
class PathsWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int PATHS = 8;
    private static final int BLOCK = 64 * 1024;
    private static final int DEPTH = 4;

    /** The delay of a packet in each direction. */
    private static final long DELAY_NS = 50_000;

    private static final PacketPlan PLAN =
            PacketPlan.calm().withDelays(DELAY_NS, DELAY_NS + 1_000).withBuffer(4 << 20);

    /** One host with a queue pair. */
    private static final class End {
        final VirtualHost host;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        End(World world) {
            host = world.addHost(RnicOptions.defaults().withProvider("roce"));
            ProtectionDomain domain = host.rnic().allocateProtectionDomain();
            cq = host.rnic().createCompletionQueue(256);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
            memory = domain.allocate(
                    (long) DEPTH * BLOCK, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        }
    }

    /** A client that writes blocks to a server, a few at a time. */
    private static final class Stream implements AutoCloseable {
        final World world;
        final End client;
        final End server;
        private long posted;
        private long written;
        private final Listener listener;

        Stream(long seed, int clientPaths, int serverPaths) throws IOException {
            world = new World(seed);
            world.packets().plan(PLAN);
            client = new End(world);
            server = new End(world);
            listener = server.host.rnic().listen(server.host.address(7471));
            ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
            Connection from = client.host
                    .rnic()
                    .startConnect(client.queuePair, listener.localAddress(), options.withPaths(clientPaths));
            Connection to = listener.nextRequest(MINUTE)
                    .orElseThrow()
                    .startAccept(server.queuePair, options.withPaths(serverPaths));
            from.awaitEstablished(MINUTE);
            to.awaitEstablished(MINUTE);
        }

        /** Blocks that are written during a time. */
        long run(long durationNs) {
            long endNs = world.elapsedNs() + durationNs;
            long before = written;
            while (world.elapsedNs() < endNs) {
                while (posted - written < DEPTH) {
                    long at = posted++ % DEPTH * BLOCK;
                    client.queuePair.postWrite(
                            posted, client.memory, at, BLOCK, server.memory.remote(), at, WrFlags.SIGNALLED);
                }
                assertTrue(client.cq.await(MINUTE), () -> "" + client.queuePair.connection());
                while (client.cursor.next()) {
                    assertEquals(CompletionStatus.SUCCESS, client.cursor.status());
                    assertEquals(++written, client.cursor.wrId());
                }
            }
            return written - before;
        }

        long repeated() {
            return client.host.rnic().figures().parts("queue_pair").getFirst().number(RnicFigures.RETRANSMISSIONS);
        }

        /** The states of the paths of the client. */
        String states() {
            return client.queuePair.connection().orElseThrow().paths().stream()
                    .map(each -> each.state().name())
                    .collect(Collectors.joining(" "));
        }

        @Override
        public void close() {
            world.close();
        }
    }

    @Test
    void pathsOfOtherDelays_nothingLost_nothingIsSentAgain() throws IOException {
        for (int skew : new int[] {1, 5, 50}) {
            try (Stream stream = new Stream(skew, PATHS, PATHS)) {
                for (int i = 1; i < PATHS; i++) {
                    stream.world.packets().path(i, PathPlan.late(2L * DELAY_NS * skew * i / (PATHS - 1)));
                }
                assertTrue(stream.run(50_000_000) > 10);
                assertEquals(0, stream.repeated(), "skew of " + skew + " round trips");
            }
        }
    }

    @Test
    void onePathDies_theOthersCarryOn() throws IOException {
        try (Stream stream = new Stream(2, PATHS, PATHS)) {
            long before = stream.run(20_000_000);
            stream.world.packets().path(3, PathPlan.DEAD);
            long after = stream.run(20_000_000);
            assertTrue(after > 0.8 * before * 7 / 8, before + " blocks, then " + after);
        }
    }

    @Test
    void allButOnePathDie_andComeBack() throws IOException {
        try (Stream stream = new Stream(3, PATHS, PATHS)) {
            long before = stream.run(10_000_000);
            for (int i = 0; i < PATHS; i++) {
                if (i != 5) {
                    stream.world.packets().path(i, PathPlan.DEAD);
                    stream.run(4_000_000);
                }
            }
            assertTrue(stream.run(5_000_000) > 0);
            assertEquals(
                    "RETIRED RETIRED RETIRED RETIRED RETIRED ACTIVE RETIRED RETIRED",
                    stream.states().replace("PROBING", "RETIRED"));
            for (int i = 0; i < PATHS; i++) {
                stream.world.packets().path(i, PathPlan.PLAIN);
            }
            // 20 round trips.
            stream.run(20 * 2 * DELAY_NS);
            assertEquals("ACTIVE ".repeat(PATHS).strip(), stream.states());
            long revived = stream.run(10_000_000);
            assertTrue(revived > 0.9 * before, before + " blocks, then " + revived);
        }
    }

    /** The network has no limit of rate: each loss delays the four blocks that are under way by a round trip. */
    @Test
    void onePacketInAHundredLost_goesOn() throws IOException {
        try (Stream stream = new Stream(4, PATHS, PATHS)) {
            long before = stream.run(50_000_000);
            stream.world.packets().plan(PLAN.withLoss(100));
            long lossy = stream.run(50_000_000);
            assertTrue(lossy > 0.35 * before, before + " blocks, then " + lossy);
        }
    }

    @Test
    void peerWithoutTheOption_connectsAsBefore() throws IOException {
        try (Stream stream = new Stream(5, PATHS, 1)) {
            stream.world.packets().path(1, PathPlan.DEAD);
            assertTrue(stream.run(10_000_000) > 0);
            assertEquals("", stream.states());
            assertEquals(0, stream.repeated());
        }
    }
}
