package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
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
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RNICs that are closed, or die, and are opened again at the same address, while messages of their former life are under way. A new
 * connection is established within the round trips that it needs.
 */
class ReopenedWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SEEDS = Rounds.of(50, 150);
    private static final int ROUNDS = 12;
    private static final long MOST_NS = 100_000_000L;

    /** Times of the network in one direction: up to 4 ms. */
    private static final long MOST_DELAY_NS = 4_000_000L;

    /** One end of a connection. */
    private static final class End {
        final QueuePair queuePair;
        final MemoryRegion memory;
        final CompletionQueue cq;
        final CompletionCursor cursor;

        End(VirtualHost host) {
            ProtectionDomain domain = host.rnic().allocateProtectionDomain();
            cq = host.rnic().createCompletionQueue(64);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
            memory = domain.allocate(256, AccessRight.LOCAL_WRITE);
            assertTrue(queuePair.postReceive(1, memory, 0, 64));
        }

        void receives(String where) {
            assertTrue(cursor.next() || cq.await(MINUTE) && cursor.next(), where);
            assertEquals(CompletionStatus.SUCCESS, cursor.status(), () -> where + ": " + cursor.reason());
        }
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest(name = "one of {0} packets lost")
    @ValueSource(ints = {0, 50})
    void reopened_connectsAgainAtOnce(int loss) {
        Seeds.each(SEEDS, seed -> run(seed, loss));
    }

    private static RnicOptions options(SimRandom random) {
        return RnicOptions.defaults()
                .withProvider("roce")
                .withProgress(random.oneIn(2) ? Progress.INLINE : Progress.ENGINE_THREAD)
                .withEngines(1);
    }

    private static VirtualHost reopened(World world, VirtualHost host) {
        SimRandom random = world.random();
        if (random.oneIn(3)) {
            host.kill(random.oneIn(2));
        } else if (random.oneIn(2)) {
            host.rnic().close();
        } else {
            host.rnic().close(Duration.ofMillis(random.nextInt(50)));
        }
        if (random.oneIn(3)) {
            world.runFor(random.sizeNs(200_000_000L));
        }
        return world.reopen(host, options(random));
    }

    /** Accepts requests until one is established. A copy of an earlier REQ can arrive late, and its peer refuses the reply. */
    private static End accepted(Listener listener, VirtualHost server, ConnectionOptions options) throws IOException {
        while (true) {
            End end = new End(server);
            Connection to = listener.nextRequest(MINUTE).orElseThrow().startAccept(end.queuePair, options);
            try {
                to.awaitEstablished(MINUTE);
                return end;
            } catch (ConnectionException e) {
                end.queuePair.close();
            }
        }
    }

    private static void run(long seed, int loss) throws IOException {
        try (World world = new World(seed)) {
            SimRandom random = world.random();
            world.packets().plan(PacketPlan.calm().withDelays(1_000, MOST_DELAY_NS));
            if (loss > 0) {
                world.packets()
                        .plan(world.packets()
                                .plan()
                                .withLoss(loss)
                                .withDuplicates(20)
                                .withReordering(20));
            }
            VirtualHost client = world.addHost(options(random));
            VirtualHost server = world.addHost(options(random));
            for (int i = 0; i < ROUNDS; i++) {
                String where = "seed " + seed + "L, round " + i;
                Listener listener = server.rnic().listen(server.address(7471));
                End near = new End(client);
                long begunNs = world.elapsedNs();
                ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
                Connection from = client.rnic().startConnect(near.queuePair, listener.localAddress(), options);
                End far = accepted(listener, server, options);
                Connection to = far.queuePair.connection().orElseThrow();
                from.awaitEstablished(MINUTE);
                long tookNs = world.elapsedNs() - begunNs;
                assertTrue(loss > 0 || tookNs <= MOST_NS, () -> where + ": " + tookNs / 1_000_000 + " ms");
                // A message of connection management is repeated after half a second.
                assertTrue(tookNs <= 6_000_000_000L, () -> where + ": " + tookNs / 1_000_000 + " ms");
                boolean clientSends = random.oneIn(2);
                End sender = clientSends ? near : far;
                assertTrue(sender.queuePair.postSend(2, sender.memory, 64, 64, WrFlags.UNSIGNALLED));
                (clientSends ? far : near).receives(where);
                switch (random.nextInt(4)) {
                    case 0 -> from.disconnect();
                    case 1 -> to.disconnect();
                    case 2 -> near.queuePair.close();
                    default -> {}
                }
                if (random.oneIn(2)) {
                    world.runFor(random.sizeNs(20_000_000L));
                }
                int which = random.nextInt(3);
                if (which != 1) {
                    server = reopened(world, server);
                } else {
                    listener.close();
                }
                if (which != 0) {
                    client = reopened(world, client);
                }
            }
        }
    }
}
