package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** RoCE RNICs over the packet network of the World, which loses, duplicates, reorders and corrupts packets. */
class RoceWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int REGION_BYTES = 1 << 17;
    private static final int MESSAGE_BYTES = 6_000;
    private static final int ROUNDS = 30;
    private static final int SEEDS = Integer.getInteger("verbena.roceSeeds", 40);

    private static RnicOptions options(Progress progress) {
        return RnicOptions.defaults().withProvider("roce").withProgress(progress);
    }

    /**
     * Up to one packet in ten is lost and one in fifty damaged. Eight attempts without progress, which end a connection,
     * then have a probability of less than 1 in 20,000.
     */
    private static PacketPlan rough(SimRandom random) {
        return PacketPlan.calm()
                .withLoss(10 + random.nextInt(100))
                .withDuplicates(5 + random.nextInt(100))
                .withFlips(50 + random.nextInt(100))
                .withReordering(5 + random.nextInt(50));
    }

    /** One end of the program. */
    private static final class End {
        final Rnic rnic;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        End(VirtualHost host) {
            rnic = host.rnic();
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(256);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
            memory = domain.allocate(
                    REGION_BYTES,
                    AccessRight.LOCAL_WRITE,
                    AccessRight.REMOTE_READ,
                    AccessRight.REMOTE_WRITE,
                    AccessRight.REMOTE_ATOMIC);
        }

        void completes(long wrId) {
            assertTrue(
                    cq.await(MINUTE), () -> queuePair.connection().orElseThrow().toString());
            assertTrue(cursor.next());
            assertEquals(
                    CompletionStatus.SUCCESS,
                    cursor.status(),
                    () -> queuePair.connection().orElseThrow().toString());
            assertEquals(wrId, cursor.wrId());
        }
    }

    private static long run(long seed, Progress progress) throws IOException {
        try (World world = new World(seed)) {
            world.packets().plan(rough(world.random()));
            return run(world, progress, ConnectionOptions.defaults().withTimeout(MINUTE), Duration.ZERO);
        }
    }

    /** Runs the program, with a pause after each exchange. */
    private static long run(World world, Progress progress, ConnectionOptions options, Duration pause)
            throws IOException {
        End client = new End(world.addHost(options(progress)));
        VirtualHost there = world.addHost(options(progress));
        End server = new End(there);
        Listener listener = server.rnic.listen(there.address(7471));
        Connection from = client.rnic.startConnect(client.queuePair, listener.localAddress(), options);
        Connection to = listener.nextRequest(MINUTE).orElseThrow().startAccept(server.queuePair, options);
        from.awaitEstablished(MINUTE);
        to.awaitEstablished(MINUTE);
        for (int i = 0; i < ROUNDS; i++) {
            exchange(world, client, server, i);
            assertFalse(!pause.isZero() && client.cq.await(pause));
        }
        assertEquals(ROUNDS, server.memory.segment().get(JAVA_LONG_UNALIGNED, 0));
        from.disconnect();
        assertTrue(from.awaitClosed(MINUTE) && to.awaitClosed(MINUTE));
        assertEquals(ConnectionState.CLOSED, from.state());
        return world.traceHash();
    }

    /** A Send, an atomic that counts, and a Read of what was sent, in this order. */
    private static void exchange(World world, End client, End server, int i) {
        int length = 1 + world.random().nextInt(MESSAGE_BYTES);
        server.queuePair.postReceive(i, server.memory, 1_000, MESSAGE_BYTES);
        client.memory.segment().asSlice(0, length).fill((byte) i);
        client.queuePair.postSend(1, client.memory, 0, length, WrFlags.SIGNALLED);
        client.queuePair.postFetchAndAdd(
                2, client.memory, 8_000, server.memory.address(), server.memory.rkey(), 1, WrFlags.SIGNALLED);
        client.queuePair.postRead(3, client.memory, 10_000, length, server.memory.remote(), 1_000, WrFlags.SIGNALLED);
        client.completes(1);
        client.completes(2);
        client.completes(3);
        server.completes(i);
        for (int at : new int[] {0, length / 2, length - 1}) {
            assertEquals((byte) i, server.memory.segment().get(JAVA_BYTE, 1_000 + at));
            assertEquals((byte) i, client.memory.segment().get(JAVA_BYTE, 10_000 + at));
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void roughNetwork_everySeed_exactlyOnceAndInOrder(Progress progress) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, progress);
        }
    }

    /** Probes of the keep-alive between, before and after all requests, which the network repeats and reorders. */
    @Test
    void idleConnection_probesDuplicatedAndReordered_changeNothing() throws IOException {
        ConnectionOptions options =
                ConnectionOptions.defaults().withTimeout(MINUTE).withKeepAlive(Duration.ofMillis(8));
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            try (World world = new World(seed)) {
                world.packets().plan(PacketPlan.calm().withDuplicates(3).withReordering(3));
                run(
                        world,
                        Progress.ENGINE_THREAD,
                        options,
                        Duration.ofMillis(world.random().nextInt(20)));
            }
        }
    }

    @Test
    void sameSeed_sameTrace() throws IOException {
        assertEquals(run(7, Progress.ENGINE_THREAD), run(7, Progress.ENGINE_THREAD));
    }

    /** The process of a peer that disconnects ends at once, and does not repeat its messages for long. */
    @ParameterizedTest
    @EnumSource(Progress.class)
    void peerDisconnectsAndLeaves_roughNetwork_everyWaitEndsInTime(Progress progress) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (World world = new World(seed)) {
                world.packets().plan(rough(world.random()));
                VirtualHost here = world.addHost(options(progress));
                VirtualHost there = world.addHost(options(progress));
                End client = new End(here);
                End server = new End(there);
                ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
                Listener listener = server.rnic.listen(there.address(7471));
                Connection from = client.rnic.startConnect(client.queuePair, listener.localAddress(), options);
                Connection to = listener.nextRequest(MINUTE).orElseThrow().startAccept(server.queuePair, options);
                from.awaitEstablished(MINUTE);
                to.awaitEstablished(MINUTE);
                boolean clientLeaves = world.random().nextInt(2) == 0;
                exchange(world, client, server, 1);
                (clientLeaves ? client : server).rnic.close();
                long seedNow = seed;
                Connection left = clientLeaves ? to : from;
                assertTrue(left.awaitClosed(Duration.ofSeconds(10)), () -> "seed " + seedNow + ": " + left);
                assertEquals(ConnectionState.CLOSED, left.state(), () -> "seed " + seedNow + ": " + left);
            }
        }
    }

    /** The packets of 16 queue pairs to one peer, and their acknowledgements, share calls of the port. */
    @Test
    void manyQueuePairs_writesOfOneTurn_shareCalls() throws IOException {
        int pairs = 16;
        try (World world = new World(3)) {
            world.packets().plan(PacketPlan.calm());
            VirtualHost here = world.addHost(options(Progress.ENGINE_THREAD));
            VirtualHost there = world.addHost(options(Progress.ENGINE_THREAD));
            List<End> clients = new ArrayList<>();
            List<End> servers = new ArrayList<>();
            ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
            Listener listener = there.rnic().listen(there.address(7471));
            for (int i = 0; i < pairs; i++) {
                End client = new End(here);
                End server = new End(there);
                Connection from = client.rnic.startConnect(client.queuePair, listener.localAddress(), options);
                listener.nextRequest(MINUTE)
                        .orElseThrow()
                        .startAccept(server.queuePair, options)
                        .awaitEstablished(MINUTE);
                from.awaitEstablished(MINUTE);
                clients.add(client);
                servers.add(server);
            }
            long packets = world.packets().sent();
            long groups = world.packets().sentGroups();
            for (int i = 0; i < pairs; i++) {
                clients.get(i)
                        .queuePair
                        .postWrite(
                                1,
                                clients.get(i).memory,
                                0,
                                8,
                                servers.get(i).memory.remote(),
                                0,
                                WrFlags.SIGNALLED);
            }
            for (End client : clients) {
                client.completes(1);
            }
            assertEquals(2L * pairs, world.packets().sent() - packets);
            long calls = world.packets().sentGroups() - groups;
            assertTrue(calls <= pairs / 2, () -> calls + " calls");
        }
    }
}
