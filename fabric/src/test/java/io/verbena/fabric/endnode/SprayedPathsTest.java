package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Lrh;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Connections with several paths in a fabric: each path has a LID of its own at both ends. */
class SprayedPathsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int BYTES = 8 * 1024;
    private static final int DEPTH = 128;
    private static final int LINKS = 4;

    /** One end with a region that all Writes read and write. */
    private static final class End {
        final Endnode endnode;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        End(Endnode endnode) {
            this.endnode = endnode;
            ProtectionDomain domain = endnode.rnic().allocateProtectionDomain();
            cq = endnode.rnic().createCompletionQueue(2 * DEPTH);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(DEPTH, DEPTH));
            memory = domain.allocate((long) DEPTH * BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        }
    }

    /** A client that keeps its send queue full of Writes. */
    private static final class Stream {
        final San san;
        final End client;
        final End server;
        final Connection connection;
        long posted;
        long done;

        Stream(San san, int paths) throws Exception {
            this.san = san;
            RnicOptions options = RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(2)));
            client = new End(san.open(0, options));
            server = new End(san.open(1, options));
            try (Listener listener = server.endnode.rnic().listen(server.endnode.address(7471))) {
                ConnectionOptions asked =
                        ConnectionOptions.defaults().withPaths(paths).withTimeout(MINUTE);
                connection = client.endnode.rnic().startConnect(client.queuePair, server.endnode.address(7471), asked);
                Connection accepted = listener.nextRequest(MINUTE).orElseThrow().startAccept(server.queuePair, asked);
                connection.awaitEstablished(MINUTE);
                accepted.awaitEstablished(MINUTE);
            }
        }

        /** Writes that complete in a time. */
        long run(long durationNs) {
            long endNs = san.world().elapsedNs() + durationNs;
            long before = done;
            while (san.world().elapsedNs() < endNs) {
                while (posted - done < DEPTH) {
                    long at = posted++ % DEPTH * BYTES;
                    client.queuePair.postWrite(
                            posted, client.memory, at, BYTES, server.memory.remote(), at, WrFlags.SIGNALLED);
                }
                assertTrue(client.cq.await(MINUTE), connection::toString);
                while (client.cursor.next()) {
                    assertEquals(CompletionStatus.SUCCESS, client.cursor.status(), client.cursor::reason);
                    assertEquals(++done, client.cursor.wrId());
                }
            }
            return done - before;
        }

        long active() {
            return connection.paths().stream()
                    .filter(it -> it.state() == PathState.ACTIVE)
                    .count();
        }
    }

    /** Endnodes with a port to each of several switches, which are not connected with each other. */
    private static San separateSwitches() {
        Wiring wiring = new Wiring();
        LinkTiming slow = LinkTiming.of(10_000, 3);
        for (int s = 0; s < LINKS; s++) {
            wiring.addSwitch(2);
        }
        for (int end = 0; end < 2; end++) {
            int adapter = wiring.addAdapter(LINKS);
            for (int s = 0; s < LINKS; s++) {
                wiring.connect(s, end + 1, adapter, s + 1, slow);
            }
        }
        for (int s = 0; s < LINKS; s++) {
            // LIDs 1 to 4 are the ports of endnode 0, 5 to 8 those of endnode 1.
            short[] table = new short[2 * LINKS + 1];
            table[1 + s] = 1;
            table[1 + LINKS + s] = 2;
            wiring.table(s, table);
        }
        return new San(wiring, SanSettings.DEFAULT.with(LinkSettings.DEFAULT).with(PathUse.SPRAYED));
    }

    @Test
    void throughput_isTheSumOfTheLivePaths() throws Exception {
        long settledNs = 3_000_000;
        long measuredNs = 2_000_000;
        try (San san = separateSwitches()) {
            Stream stream = new Stream(san, LINKS);
            double[] writes = new double[LINKS + 1];
            for (int live = LINKS; live > 0; live--) {
                stream.run(settledNs);
                assertEquals(
                        live, stream.active(), () -> stream.connection.paths().toString());
                writes[live] = stream.run(measuredNs);
                if (live > 1) {
                    san.breakLink(live - 1, 1);
                }
            }
            for (int live = 2; live <= LINKS; live++) {
                assertEquals(live, writes[live] / writes[1], 0.02 * live, live + " paths");
            }
        }
    }

    /** LMC: paths to different LIDs of one port pass different spines. */
    @Test
    void pathsOfOnePort_takeAllSpines_andOneThatBreaksIsLeft() throws Exception {
        SubnetManager.Options manager =
                SubnetManager.Options.DEFAULT.with(Routing.MINHOP).withLmc(2).withTimes(2_000_000, 50_000);
        try (San san = San.managed(
                TopologySpecification.parse("leaf-spine:2x4,hosts=1"),
                SanSettings.DEFAULT.with(PathUse.SPRAYED),
                manager)) {
            Map<Integer, Integer> requests = new TreeMap<>();
            san.tap((packet, nowNs) -> {
                MemorySegment bytes = MemorySegment.ofArray(packet);
                Lrh lrh = new Lrh().wrap(bytes, 0);
                if (new Bth().wrap(bytes, Lrh.LENGTH).opcodeValue() == IbOpcode.PATH_DATA.value()) {
                    requests.merge(lrh.dlid(), 1, Integer::sum);
                }
            });
            Stream stream = new Stream(san, LINKS);
            long before = stream.run(200_000);
            assertEquals(LINKS, requests.size(), requests.toString());
            int most = requests.values().stream().mapToInt(it -> it).max().orElse(0);
            int least = requests.values().stream().mapToInt(it -> it).min().orElse(0);
            assertTrue(least > 0.8 * most, requests.toString());
            san.breakNode(san.switchNumber("spine-1").orElseThrow());
            stream.run(200_000);
            long after = stream.run(200_000);
            // The link of the endnode is the narrowest one.
            assertTrue(after >= 0.9 * before, before + " Writes, then " + after);
            List<ConnectionPath> paths = stream.connection.paths();
            assertTrue(paths.stream().anyMatch(it -> it.losses() > 0), paths::toString);
        }
    }
}
