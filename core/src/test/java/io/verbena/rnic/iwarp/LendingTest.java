package io.verbena.rnic.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Payload that the peer copies from the memory of the initiator: when its work completes, and what ends it. */
class LendingTest {

    private static final int BYTES = 100_000;
    private static final long MS = 1_000_000;

    private final ManualWorld world = ManualWorld.rings();
    private Pair pair;
    private boolean hangs;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world).connect();
        pair.a.fill(1);
        // The first Write announces the region.
        write(0, BYTES);
        world.settle();
        assertEquals(List.of("0 SUCCESS"), pair.a.polled());
        assertEquals(1, blocks());
        pair.b.fill(2);
    }

    @AfterEach
    void close() {
        world.close();
        assertEquals(hangs ? 1 : 0, blocks());
    }

    private int blocks() {
        return world.sharedMemory.orElseThrow().blocks.open;
    }

    private void write(int id, int bytes) {
        assertTrue(
                pair.a.queuePair.postWrite(id, pair.a.memory, 0, bytes, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
    }

    private void driveA() {
        for (int i = 0; i < 50; i++) {
            ManualEnvironment.of(pair.a.rnic).drive();
        }
    }

    private void hangB() {
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        hangs = true;
    }

    private boolean arrived(int bytes) {
        return pair.a
                        .memory
                        .segment()
                        .asSlice(0, bytes)
                        .mismatch(pair.b.memory.segment().asSlice(0, bytes))
                == -1;
    }

    @Test
    void write_completes_whenTheTargetHasCopied() {
        write(1, BYTES);
        driveA();
        assertEquals(List.of(), pair.a.polled());
        assertFalse(arrived(BYTES));

        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertTrue(arrived(BYTES));
    }

    @Test
    void workAfterALoan_completesInOrder() {
        write(1, BYTES);
        write(2, 8);
        driveA();
        assertEquals(List.of(), pair.a.polled());
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void manyLoans_moreThanTheGateKeeps_completeInOrder() {
        for (int i = 1; i <= 50; i++) {
            write(i, 20_000);
            driveA();
        }
        assertEquals(List.of(), pair.a.polled());
        world.settle();
        List<String> done = pair.a.polled();
        assertEquals(50, done.size());
        assertEquals("1 SUCCESS", done.getFirst());
        assertEquals("50 SUCCESS", done.getLast());
    }

    @Test
    void disconnect_withLoans_isGraceful_andNothingIsFlushed() {
        write(1, BYTES);
        driveA();
        pair.fromA.disconnect();
        driveA();
        world.settle();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertTrue(arrived(BYTES));
        assertEquals(ConnectionState.CLOSED, pair.fromA.state());
        assertEquals(ConnectionState.CLOSED, pair.fromB.state());
    }

    @Test
    void regionClosed_withLoans_targetGetsWhatItContained() {
        MemoryRegion region = pair.a.domain.allocate(BYTES, AccessRight.LOCAL_WRITE);
        for (int i = 0; i < 2; i++) { // the first one announces it
            region.segment().fill((byte) (7 + i));
            assertTrue(
                    pair.a.queuePair.postWrite(i + 1, region, 0, BYTES, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
            if (i == 0) {
                world.settle();
                assertEquals(2, blocks());
            }
        }
        driveA();
        region.close();
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertEquals(8, pair.b.memory.segment().get(JAVA_BYTE, BYTES - 1));
        write(3, BYTES);
        world.settle();
        assertEquals(1, blocks());
    }

    @Test
    void abort_withLoans_messageIsNotDelivered() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, 0, BYTES));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, BYTES, WrFlags.SIGNALLED));
        driveA();
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        pair.a.fill(77); // the application uses its memory again
        world.settle();
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
    }

    @Test
    void peerHangs_withLoans_abortCompletesAtOnce() {
        hangB();
        write(1, BYTES);
        driveA();
        assertEquals(List.of(), pair.a.polled());
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
    }

    @Test
    void peerIsKilled_withLoans_workFailsWithin100Ms() {
        var dying = world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(pair.fromB.localAddress()))
                .findFirst()
                .orElseThrow();
        write(1, BYTES);
        driveA();
        hangB();
        dying.close(false);
        world.advance(100 * MS);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
    }

    @Test
    void terminate_afterLoans_arrivesAfterThem() {
        // A finds a fault of B while B has not copied yet: B copies, then learns the reason.
        write(1, BYTES);
        assertTrue(pair.b.queuePair.postWrite(
                2, pair.b.memory, 0, 8, pair.a.memory.address() - 1, pair.a.memory.rkey(), WrFlags.SIGNALLED));
        ManualEnvironment.of(pair.b.rnic).drive();
        driveA();
        world.settle();
        world.advance(2_000 * MS);
        assertEquals(1, pair.a.polled().size());
        assertTrue(
                pair.fromB.reason().contains("Terminate")
                        || pair.fromB.termination().isPresent(),
                pair.fromB.reason());
    }

    @Test
    void fault_peerHangsWithLoans_workIsFlushedSoon() {
        write(1, BYTES);
        assertTrue(pair.b.queuePair.postWrite(
                2, pair.b.memory, 0, 8, pair.a.memory.address() - 1, pair.a.memory.rkey(), WrFlags.SIGNALLED));
        ManualEnvironment.of(pair.b.rnic).drive();
        hangB();
        driveA();
        assertEquals(List.of(), pair.a.polled());
        world.advance(200 * MS);
        assertEquals(1, pair.a.polled().size());
        pair.a.fill(99);
        assertFalse(arrived(BYTES));
    }

    @Test
    void fault_peerStopsWithLoansAndResumes_whatItCopiesThenIsNotUsed() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, 0, BYTES));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, BYTES, WrFlags.SIGNALLED));
        assertTrue(pair.b.queuePair.postWrite(
                2, pair.b.memory, 0, 8, pair.a.memory.address() - 1, pair.a.memory.rkey(), WrFlags.SIGNALLED));
        ManualEnvironment.of(pair.b.rnic).drive();
        var stopped = world.network.streams.stream()
                .filter(stream -> stream.localAddress().equals(pair.fromB.localAddress()))
                .findFirst()
                .orElseThrow();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        driveA();
        world.advance(200 * MS);
        assertEquals(1, pair.a.polled().size(), "the work is complete, and the application uses its memory again");
        pair.a.fill(99);
        world.environments.add(ManualEnvironment.of(pair.b.rnic));
        world.network.streams.add(stopped);
        world.settle();
        assertFalse(pair.b.polled().contains("9 SUCCESS"));
        assertFalse(arrived(BYTES));
        world.advance(2_000 * MS);
    }
}
