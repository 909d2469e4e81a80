package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections of one message and its answer, many of them between two RNICs, over a network that loses packets. */
class ShortConnectionsWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(MINUTE);
    private static final int SEEDS = Integer.getInteger("verbena.roceSeeds", 40);
    private static final int AT_ONCE = 4;
    private static final int ROUNDS = 4;

    /** One side: queue pairs of one domain with one completion queue. */
    private static final class Side {
        final VirtualHost host;
        final ProtectionDomain domain;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final CompletionQueue idle;
        final MemoryRegion memory;

        Side(World world, Progress progress, int engines) {
            host = world.addHost(RnicOptions.defaults()
                    .withProvider("roce")
                    .withProgress(progress)
                    .withEngines(engines));
            domain = host.rnic().allocateProtectionDomain();
            cq = host.rnic().createCompletionQueue(256);
            cursor = cq.cursor();
            idle = host.rnic().createCompletionQueue(1);
            memory = domain.allocate(4096, AccessRight.LOCAL_WRITE);
        }

        QueuePair queuePair() {
            QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
            assertTrue(queuePair.postReceive(queuePair.number(), memory, 1024, 64));
            return queuePair;
        }

        /** The queue pair number that the next successful receive belongs to. */
        int received(String where) {
            assertTrue(cursor.next() || cq.await(MINUTE) && cursor.next(), where);
            assertEquals(CompletionStatus.SUCCESS, cursor.status(), () -> where + ": " + cursor.reason());
            return (int) cursor.wrId();
        }

        /** The last acknowledgement of a peer that has closed can be lost. */
        void dropFlushed(String where) {
            while (cursor.next()) {
                assertEquals(CompletionStatus.FLUSHED, cursor.status(), where);
            }
        }
    }

    private static void round(Side client, Side server, Listener listener, Runnable step, String where)
            throws ConnectionException {
        List<QueuePair> clients = new ArrayList<>();
        List<QueuePair> servers = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            QueuePair from = client.queuePair();
            client.host.rnic().startConnect(from, listener.localAddress(), OPTIONS);
            clients.add(from);
        }
        step.run();
        for (int i = 0; i < AT_ONCE; i++) {
            QueuePair to = server.queuePair();
            listener.nextRequest(MINUTE).orElseThrow().startAccept(to, OPTIONS);
            servers.add(to);
        }
        step.run();
        for (QueuePair each : clients) {
            each.connection().orElseThrow().awaitEstablished(MINUTE);
            assertTrue(each.postSend(0, client.memory, 0, 64, WrFlags.UNSIGNALLED));
        }
        step.run();
        for (int i = 0; i < AT_ONCE; i++) {
            int number = server.received(where);
            QueuePair to = servers.stream()
                    .filter(each -> each.number() == number)
                    .findFirst()
                    .orElseThrow();
            assertTrue(to.postSend(0, server.memory, 0, 64, WrFlags.UNSIGNALLED));
        }
        step.run();
        for (int i = 0; i < AT_ONCE; i++) {
            int number = client.received(where);
            clients.stream()
                    .filter(each -> each.number() == number)
                    .forEach(each -> each.connection().orElseThrow().disconnect());
        }
        step.run();
        for (QueuePair each : clients) {
            Connection connection = each.connection().orElseThrow();
            assertTrue(connection.awaitClosed(MINUTE), () -> where + ": " + connection);
            assertEquals(ConnectionState.CLOSED, connection.state(), () -> where + ": " + connection);
            each.close();
        }
        for (QueuePair each : servers) {
            Connection connection = each.connection().orElseThrow();
            assertTrue(connection.awaitClosed(MINUTE), () -> where + ": " + connection);
            each.close();
        }
        assertFalse(client.cursor.next(), where);
        server.dropFlushed(where);
    }

    /** A network that at some steps delivers nothing for up to 3 s, while the requests and answers of that step are sent. */
    @ParameterizedTest
    @CsvSource({"ENGINE_THREAD, 1", "ENGINE_THREAD, 3", "INLINE, 1"})
    void shortConnections_networkInterrupted_allCloseGracefully(Progress progress, int engines) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (World world = new World(seed)) {
                Side client = new Side(world, progress, engines);
                Side server = new Side(world, progress, engines);
                Listener listener = server.host.rnic().listen(server.host.address(7471));
                InetAddress one = client.host.address(0).getAddress();
                InetAddress other = server.host.address(0).getAddress();
                Runnable interruption = () -> {
                    if (world.random().nextInt(4) == 0) {
                        world.packets().partition(one, other);
                        assertFalse(client.idle.await(
                                Duration.ofNanos(world.random().sizeNs(3_000_000_000L))));
                        world.packets().heal();
                    }
                };
                for (int i = 0; i < ROUNDS; i++) {
                    round(client, server, listener, interruption, "seed " + seed + ", round " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ENGINE_THREAD, 1", "ENGINE_THREAD, 3", "INLINE, 1"})
    void shortConnections_roughNetwork_allCloseGracefully(Progress progress, int engines) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (World world = new World(seed)) {
                world.packets()
                        .plan(PacketPlan.calm()
                                .withLoss(10 + world.random().nextInt(100))
                                .withDuplicates(5 + world.random().nextInt(100))
                                .withFlips(50 + world.random().nextInt(100))
                                .withReordering(5 + world.random().nextInt(50)));
                Side client = new Side(world, progress, engines);
                Side server = new Side(world, progress, engines);
                Listener listener = server.host.rnic().listen(server.host.address(7471));
                for (int i = 0; i < ROUNDS; i++) {
                    round(client, server, listener, () -> {}, "seed " + seed + ", round " + i);
                }
            }
        }
    }
}
