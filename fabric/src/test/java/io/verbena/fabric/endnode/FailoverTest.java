package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.node.Wiring;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two separate fabrics connect endnodes with two ports each. A link or a switch of the first fabric breaks under traffic; connections
 * with an alternate path move to the second one.
 */
class FailoverTest {

    private static final int SEEDS = 5;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MESSAGES = 60;
    private static final int MOST_BYTES = 3_000;
    private static final int OUTSTANDING = 8;

    /** Lost messages of connection management are repeated after half a second. */
    private static final long PROPOSAL_NS = 4_000_000_000L;

    /** Switches 0 and 1 are those of the first fabric, 2 and 3 those of the second; endnodes 0 and 1 are at opposite ends. */
    private static Wiring twoFabrics() {
        Wiring wiring = new Wiring();
        for (int s = 0; s < 4; s++) {
            wiring.addSwitch(3);
        }
        for (int end = 0; end < 2; end++) {
            int adapter = wiring.addAdapter(2);
            wiring.connect(end, 1, adapter, 1, LinkTiming.DEFAULT);
            wiring.connect(2 + end, 1, adapter, 2, LinkTiming.DEFAULT);
        }
        for (int fabric = 0; fabric < 2; fabric++) {
            wiring.connect(2 * fabric, 2, 2 * fabric + 1, 2, LinkTiming.DEFAULT);
            // LIDs 1 and 2 are the ports of endnode 0, 3 and 4 those of endnode 1.
            short[] near = new short[5];
            short[] far = new short[5];
            near[1 + fabric] = 1;
            near[3 + fabric] = 2;
            far[1 + fabric] = 2;
            far[3 + fabric] = 1;
            wiring.table(2 * fabric, near);
            wiring.table(2 * fabric + 1, far);
        }
        return wiring;
    }

    /** One end of the program. */
    private static final class End {
        final Endnode endnode;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        End(Endnode endnode) {
            this.endnode = endnode;
            ProtectionDomain domain = endnode.rnic().allocateProtectionDomain();
            cq = endnode.rnic().createCompletionQueue(256);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
            memory = domain.allocate(2L * OUTSTANDING * MOST_BYTES, AccessRight.LOCAL_WRITE);
        }

        void alternate(End peer) {
            AddressHandleAttributes first = AddressHandleAttributes.to(peer.endnode.gid(0));
            AddressHandleAttributes second = AddressHandleAttributes.to(peer.endnode.gid(1));
            queuePair.modify(QueuePairChange.none()
                    .withPath(PathAttributes.to(first).withAlternate(second, PathMigration.REARM)));
        }

        /** Proposes the path between the second ports by connection management. */
        void propose(End peer) {
            queuePair
                    .connection()
                    .orElseThrow()
                    .proposeAlternatePath(
                            AddressHandleAttributes.to(peer.endnode.gid(1)).withSourceAddress(endnode.gid(1)));
        }

        void completes(long wrId) {
            assertTrue(cq.await(MINUTE));
            assertTrue(cursor.next());
            assertEquals(CompletionStatus.SUCCESS, cursor.status());
            assertEquals(wrId, cursor.wrId());
        }
    }

    private static San network(long seed, double errors) {
        return new San(
                twoFabrics(),
                SanSettings.DEFAULT.with(LinkSettings.DEFAULT.withErrors(errors).withSeed(seed)));
    }

    private static RnicOptions options() {
        return RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofNanos(500_000)));
    }

    private static void connect(End client, End server) throws Exception {
        try (Listener listener = server.endnode.rnic().listen(server.endnode.address(7471))) {
            ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
            Connection from =
                    client.endnode.rnic().startConnect(client.queuePair, server.endnode.address(7471), options);
            Connection to = listener.nextRequest(MINUTE).orElseThrow().startAccept(server.queuePair, options);
            from.awaitEstablished(MINUTE);
            to.awaitEstablished(MINUTE);
        }
    }

    /** Messages in order and once, whatever breaks at whatever time. */
    private static void exchange(End client, End server, SeededNumbers random) {
        int posted = 0;
        int received = 0;
        for (int i = 0; i < OUTSTANDING; i++) {
            server.queuePair.postReceive(i, server.memory, (long) i * MOST_BYTES, MOST_BYTES);
        }
        while (received < MESSAGES) {
            while (posted < MESSAGES && posted < received + OUTSTANDING) {
                int length = 8 + random.nextInt(MOST_BYTES - 8);
                long at = (long) (posted % (2 * OUTSTANDING)) * MOST_BYTES;
                client.memory.segment().set(JAVA_LONG_UNALIGNED, at, posted);
                client.queuePair.postSend(posted, client.memory, at, length, WrFlags.UNSIGNALLED);
                posted++;
            }
            server.completes(received);
            long at = (long) (received % OUTSTANDING) * MOST_BYTES;
            assertEquals(received, server.memory.segment().get(JAVA_LONG_UNALIGNED, at));
            server.queuePair.postReceive(received + OUTSTANDING, server.memory, at, MOST_BYTES);
            received++;
        }
    }

    private static long run(long seed) throws Exception {
        SeededNumbers random = new SeededNumbers(seed);
        try (San san = network(seed, random.nextInt(2) == 0 ? 0 : 1e-2)) {
            End client = new End(san.open(0, options()));
            End server = new End(san.open(1, options()));
            connect(client, server);
            if (random.nextInt(2) == 0) {
                client.alternate(server);
                server.alternate(client);
            } else {
                client.propose(server);
                san.world().runFor(PROPOSAL_NS);
            }
            client.queuePair.postSend(1_000, client.memory, 0, 8, WrFlags.SIGNALLED);
            server.queuePair.postReceive(1_001, server.memory, 0, 8);
            server.completes(1_001);
            client.completes(1_000);
            boolean node = random.nextInt(2) == 0;
            int broken = random.nextInt(2);
            san.world().after(random.nextInt(60_000), () -> {
                if (node) {
                    san.breakNode(broken);
                } else {
                    san.breakLink(broken, 1 + random.nextInt(2));
                }
            });
            exchange(client, server, random);
            assertFalse(server.cq.await(Duration.ofMillis(50)), "a message arrived twice");
            return san.traceHash();
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void f7_linkOrSwitchBreaksUnderTraffic_everyMessageArrivesOnceByTheOtherPath() throws Exception {
        Seeds.each(SEEDS, FailoverTest::run);
        assertEquals(run(3), run(3));
    }

    @Test
    void f7_linkBreaksWithoutAlternatePath_connectionEnds() throws Exception {
        try (San san = network(1, 0)) {
            End client = new End(san.open(0, options()));
            End server = new End(san.open(1, options()));
            connect(client, server);
            san.breakNode(1);
            client.queuePair.postSend(5, client.memory, 0, 8, WrFlags.SIGNALLED);
            assertTrue(client.cq.await(MINUTE));
            assertTrue(client.cursor.next());
            assertEquals(CompletionStatus.RETRY_EXCEEDED, client.cursor.status());
        }
    }

    @Test
    void f7_linkIsRepairedInTime_messageArrivesByTheSamePath() throws Exception {
        try (San san = network(1, 0)) {
            End client = new End(san.open(0, options()));
            End server = new End(san.open(1, options()));
            connect(client, server);
            san.breakLink(1, 1);
            client.queuePair.postSend(5, client.memory, 0, 8, WrFlags.SIGNALLED);
            server.queuePair.postReceive(6, server.memory, 0, 8);
            san.world().after(1_200_000, () -> san.repairLink(1, 1));
            client.completes(5);
            server.completes(6);
        }
    }
}
