package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tcp.state.TcpSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The figures of a path that loses packets, and of the accesses of a peer whose packets are repeated, for each transport. */
class FiguresWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** With markers, the first FPDU after a hole is found at once. */
    private static final RnicOptions OPTIONS =
            RnicOptions.defaults().withCrc(true).withMarkers(true);

    private static final int WRITES = 40;
    private static final int WRITE_BYTES = 20_000;
    private static final int READ_BYTES = 30_000;
    private static final PacketPlan LOSSY = PacketPlan.calm().withLoss(20).withDuplicates(20);

    /** Figures of the queue pairs after the program, of the initiator and of the responder. */
    private record Outcome(Figures initiator, Figures responder) {}

    private static Outcome run(World world) throws IOException {
        Rnic near = world.addHost(OPTIONS).rnic();
        VirtualHost there = world.addHost(OPTIONS);
        CompletionQueue cq = near.createCompletionQueue(256);
        MemoryRegion source = near.allocateProtectionDomain().allocate(1 << 16, AccessRight.LOCAL_WRITE);
        QueuePair from = source.protectionDomain().createQueuePair(QueuePairOptions.of(cq));
        MemoryRegion target = there.rnic()
                .allocateProtectionDomain()
                .allocate(
                        1 << 16,
                        AccessRight.LOCAL_WRITE,
                        AccessRight.REMOTE_WRITE,
                        AccessRight.REMOTE_READ,
                        AccessRight.REMOTE_ATOMIC);
        QueuePair to = target.protectionDomain()
                .createQueuePair(QueuePairOptions.of(there.rnic().createCompletionQueue(16)));
        Listener listener = there.rnic().listen(there.address(7471));
        ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
        var connection = near.startConnect(from, listener.localAddress(), options);
        listener.nextRequest(MINUTE).orElseThrow().startAccept(to, options);
        connection.awaitEstablished(MINUTE);
        for (int i = 0; i < WRITES; i++) {
            from.postWrite(i, source, 0, WRITE_BYTES, target.address(), target.rkey(), WrFlags.UNSIGNALLED);
        }
        from.postRead(100, source, 0, READ_BYTES, target.address(), target.rkey(), WrFlags.SIGNALLED);
        from.postFetchAndAdd(101, source, 0, target.address(), target.rkey(), 1, WrFlags.SIGNALLED);
        CompletionCursor cursor = cq.cursor();
        for (int i = 0; i < 2; i++) {
            assertTrue(cq.await(MINUTE) && cursor.next() && cursor.ok());
        }
        return new Outcome(queuePair(near), queuePair(there.rnic()));
    }

    private static Figures queuePair(Rnic rnic) {
        return rnic.figures().parts("queue_pair").getFirst();
    }

    private static void assertServed(Figures responder) {
        assertEquals(WRITES, responder.number(RnicFigures.PEER_OPERATIONS, "write"));
        assertEquals(1, responder.number(RnicFigures.PEER_OPERATIONS, "read"));
        assertEquals(1, responder.number(RnicFigures.PEER_OPERATIONS, "fetch_and_add"));
        assertEquals(WRITES * WRITE_BYTES + Long.BYTES, responder.number(RnicFigures.PEER_IO, "receive"));
        assertEquals(READ_BYTES, responder.number(RnicFigures.PEER_IO, "transmit"));
    }

    @Test
    void byteStream_accessesAreCountedAndThePathIsUnknown() throws IOException {
        try (World world = new World(1, Profile.CALM, Optional.empty())) {
            Outcome outcome = run(world);
            assertServed(outcome.responder());
            assertTrue(outcome.initiator().values().stream()
                    .noneMatch(each -> each.figure().equals(RnicFigures.RETRANSMISSIONS)));
        }
    }

    @Test
    void segmentsInAnyOrder_accessesAreCountedOnce() throws IOException {
        try (World world = new World(2, Profile.CALM, Optional.empty()).withSegments()) {
            assertServed(run(world).responder());
        }
    }

    @Test
    void ownTcpWithLoss_pathShowsRetransmissionsWindowsAndHoles() throws IOException {
        try (World world = new World(3, Profile.CALM, Optional.empty()).withTcp(TcpSettings.defaults(), LOSSY)) {
            Outcome outcome = run(world);
            assertServed(outcome.responder());
            Figures initiator = outcome.initiator();
            assertTrue(initiator.number(RnicFigures.RETRANSMISSIONS) > 0, initiator::toString);
            assertTrue(initiator.number(RnicFigures.ROUND_TRIP) > 0);
            assertTrue(initiator.number(RnicFigures.WINDOW, "congestion") > 0);
            assertTrue(initiator.number(RnicFigures.WINDOW, "send") > 0);
            assertTrue(initiator.number(RnicFigures.WINDOW, "receive") > 0);
            assertTrue(outcome.responder().number(RnicFigures.HOLES_OPENED) > 0);
            assertTrue(outcome.responder().number(RnicFigures.PLACED_EARLY) > 0);
            assertEquals(0, outcome.responder().number(RnicFigures.HOLES));
        }
    }

    @Test
    void roceWithLoss_repetitionsAreCountedAndAccessesOnlyOnce() throws IOException {
        for (boolean selective : new boolean[] {false, true}) {
            try (World world = new World(4, Profile.CALM, Optional.empty()).withRoce(selective, LOSSY)) {
                Outcome outcome = run(world);
                assertServed(outcome.responder());
                Figures initiator = outcome.initiator();
                assertTrue(initiator.number(RnicFigures.RETRANSMISSIONS) > 0, initiator::toString);
                assertTrue(initiator.number(RnicFigures.PACKET_LIMIT) > 0);
                assertEquals(0, initiator.number(RnicFigures.PACKETS));
            }
        }
    }
}
