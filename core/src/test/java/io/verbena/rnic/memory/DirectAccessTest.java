package io.verbena.rnic.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.HeapBlocks;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes, Reads and atomics on memory of a peer whose engine does nothing, and what ends that. */
class DirectAccessTest {

    private static final int BYTES = 300_000;
    private static final int SMALL = 8;
    private static final long MS = 1_000_000;

    /** Where the page of a region has the word of the peer that was granted first. */
    private static final int INSIDE = 72;

    private final ManualWorld world = ManualWorld.direct();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world).connect();
        pair.a.fill(1);
        pair.b.fill(2);
        learn();
    }

    @AfterEach
    void close() {
        world.close();
        assertEquals(0, world.sharedMemory.orElseThrow().blocks.direct);
    }

    /** The first access requests a grant, and the peer executes it. */
    private void learn() {
        write(0, SMALL);
        world.settle();
        assertEquals(List.of("0 SUCCESS"), pair.a.polled());
        assertEquals(1, world.sharedMemory.orElseThrow().blocks.direct);
    }

    private void write(int id, int bytes) {
        assertTrue(
                pair.a.queuePair.postWrite(id, pair.a.memory, 0, bytes, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
    }

    private void read(int id, int bytes) {
        assertTrue(
                pair.a.queuePair.postRead(id, pair.a.memory, 0, bytes, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
    }

    /** The peer is stopped: only this side runs. */
    private void driveA() {
        for (int i = 0; i < 50; i++) {
            ManualEnvironment.of(pair.a.rnic).drive();
        }
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
    void write_peerStopped_completes() {
        write(1, BYTES);
        write(2, SMALL);
        driveA();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertTrue(arrived(BYTES));
    }

    @Test
    void read_peerStopped_completes() {
        read(1, BYTES);
        read(2, SMALL);
        driveA();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertTrue(arrived(BYTES));
    }

    @Test
    void atomics_peerStopped_complete() {
        pair.b.memory.segment().set(JAVA_LONG, 0, 40);
        assertTrue(pair.a.queuePair.postFetchAndAdd(
                1, pair.a.memory, 0, pair.b.memory.address(), pair.b.memory.rkey(), 2, WrFlags.SIGNALLED));
        assertTrue(pair.a.queuePair.postCompareAndSwap(
                2, pair.a.memory, 8, pair.b.memory.address(), pair.b.memory.rkey(), 42, 7, WrFlags.SIGNALLED));
        assertTrue(pair.a.queuePair.postCompareAndSwap(
                3, pair.a.memory, 16, pair.b.memory.address(), pair.b.memory.rkey(), 42, 9, WrFlags.SIGNALLED));
        driveA();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertEquals(40, pair.a.memory.segment().get(JAVA_LONG, 0));
        assertEquals(42, pair.a.memory.segment().get(JAVA_LONG, 8));
        assertEquals(7, pair.a.memory.segment().get(JAVA_LONG, 16));
        assertEquals(7, pair.b.memory.segment().get(JAVA_LONG, 0));
    }

    @Test
    void send_afterWrite_isDeliveredAfterIt() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, BYTES, SMALL));
        write(1, BYTES);
        assertTrue(pair.a.queuePair.postSend(2, pair.a.memory, 0, SMALL, WrFlags.SIGNALLED));
        driveA();
        assertTrue(arrived(BYTES));
        assertEquals(List.of(), pair.b.polled());
        world.settle();
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void longWrite_afterSend_waitsUntilThePeerHasProcessedTheSend() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, BYTES, SMALL));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, SMALL, WrFlags.SIGNALLED));
        write(2, BYTES);
        driveA();
        assertFalse(arrived(BYTES));
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertTrue(arrived(BYTES));
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
    }

    @Test
    void read_afterShortWriteOnTheRing_seesIt() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, BYTES, SMALL));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, SMALL, WrFlags.SIGNALLED));
        write(2, SMALL); // after a Send that the peer has not processed: by the ring
        read(3, 20_000);
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        assertTrue(arrived(20_000));
    }

    @Test
    void wrongRange_endsTheConnectionAsOnTheNetwork() {
        assertTrue(pair.a.queuePair.postWrite(
                1,
                pair.a.memory,
                0,
                SMALL,
                pair.b.memory.address() + pair.b.memory.length() - 7,
                pair.b.memory.rkey(),
                WrFlags.SIGNALLED));
        assertRefused();
    }

    /** As over TCP: a short Write completes when it has left, and the peer ends the connection. */
    private void assertRefused() {
        world.settle();
        assertEquals(1, pair.a.polled().size());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
        assertTrue(pair.fromA.termination().isPresent());
    }

    @Test
    void regionWithoutTheRight_isRefusedAsOnTheNetwork() {
        MemoryRegion readable = pair.b.domain.allocate(BYTES, AccessRight.REMOTE_READ);
        for (int i = 1; i < 3; i++) {
            assertTrue(pair.a.queuePair.postRead(i, pair.a.memory, 0, SMALL, readable.remote(), 0, WrFlags.SIGNALLED));
            world.settle();
            assertEquals(List.of(i + " SUCCESS"), pair.a.polled());
        }
        assertEquals(2, world.sharedMemory.orElseThrow().blocks.direct);
        assertTrue(pair.a.queuePair.postWrite(3, pair.a.memory, 0, SMALL, readable.remote(), 0, WrFlags.SIGNALLED));
        assertRefused();
        assertEquals(0, readable.segment().get(JAVA_BYTE, 0));
    }

    @Test
    void renewedKey_oldOneIsRefused_newOneWorks() {
        MemoryRegion region = pair.b.memory;
        var old = region.remote();
        region.renewKey();
        write(1, SMALL);
        world.settle();
        write(2, BYTES);
        driveA();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        pair.a.fill(3);
        assertTrue(pair.a.queuePair.postWrite(3, pair.a.memory, 0, SMALL, old, 0, WrFlags.SIGNALLED));
        assertRefused();
        assertFalse(arrived(SMALL));
    }

    @Test
    void closedRegion_isNotWritten() {
        var memory = pair.b.memory.segment();
        byte before = memory.get(JAVA_BYTE, 0);
        var closed = pair.b.memory.remote();
        pair.a.memory.segment().fill((byte) (before + 1));
        pair.b.memory.close();
        assertTrue(pair.a.queuePair.postWrite(1, pair.a.memory, 0, BYTES, closed, 0, WrFlags.SIGNALLED));
        driveA();
        world.settle();
        assertEquals(List.of("1 REMOTE_ACCESS"), pair.a.polled());
    }

    @Test
    void queuePairInError_peerWritesNothingMore() {
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        byte before = pair.b.memory.segment().get(JAVA_BYTE, 100);
        pair.a.memory.segment().fill((byte) (before + 1));
        write(1, BYTES);
        driveA();
        assertEquals(before, pair.b.memory.segment().get(JAVA_BYTE, 100));
        world.settle();
        assertEquals(1, pair.a.polled().size());
        assertEquals(before, pair.b.memory.segment().get(JAVA_BYTE, 100));
    }

    /** The peer is in the middle of a copy, and leaves after some time. Returns whether it has left. */
    private BooleanSupplier peerInside(long leavesAfterNs) {
        HeapBlocks blocks = world.sharedMemory.orElseThrow().blocks;
        MemorySegment page = blocks.page(pair.b.memory.segment().address());
        page.set(JAVA_LONG, INSIDE, page.get(JAVA_LONG, INSIDE) | 1);
        long untilNs = world.nowNs + leavesAfterNs;
        BooleanSupplier left = () -> page.get(JAVA_LONG, INSIDE) % 2 == 0;
        blocks.clock = () -> {
            if (world.nowNs >= untilNs && !left.getAsBoolean()) {
                page.set(JAVA_LONG, INSIDE, page.get(JAVA_LONG, INSIDE) + 1);
            }
            return world.nowNs;
        };
        return left;
    }

    private void postReceive() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, BYTES, SMALL));
    }

    @Test
    void closedQueuePair_peerInside_returnsWhenItHasLeft() {
        postReceive();
        BooleanSupplier left = peerInside(20 * MS);
        pair.b.queuePair.close();
        assertTrue(left.getAsBoolean());
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertTrue(pair.b.memory.valid());
    }

    @Test
    void closedQueuePair_peerHangsInside_theRegionIsLost() {
        BooleanSupplier left = peerInside(1000 * MS);
        long beganNs = world.nowNs;
        pair.b.queuePair.close();
        assertFalse(left.getAsBoolean());
        assertFalse(pair.b.memory.valid());
        assertTrue(world.nowNs - beganNs < 200 * MS);
    }

    @Test
    void queuePairInError_peerInside_isInErrorWhenItHasLeft() {
        postReceive();
        BooleanSupplier left = peerInside(20 * MS);
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertTrue(left.getAsBoolean());
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
    }

    @Test
    void bugOfTheQueuePair_peerInside_flushesWhenItHasLeft() {
        assertFlushedOnceThePeerHasLeft(() -> pair.b.queuePair.endpoint().command(() -> {
            throw new AssertionError("on purpose");
        }));
    }

    @Test
    void engineFails_peerInside_flushesWhenItHasLeft() {
        assertFlushedOnceThePeerHasLeft(
                () -> pair.b.queuePair.engine().onFailure(new StackOverflowError("on purpose")));
    }

    @Test
    void engineFailsAfterABug_peerInside_flushesWhenItHasLeft() {
        assertFlushedOnceThePeerHasLeft(() -> {
            pair.b.queuePair.endpoint().bug("a test", new AssertionError("on purpose"));
            pair.b.queuePair.engine().onFailure(new StackOverflowError("on purpose"));
        });
    }

    /** Nothing of an ended queue pair may be reported as long as the peer can write to the buffers of its work. */
    private void assertFlushedOnceThePeerHasLeft(Runnable failure) {
        world.expectsBugs = true;
        postReceive();
        BooleanSupplier left = peerInside(20 * MS);
        failure.run();
        world.advance(10 * MS);
        assertFalse(left.getAsBoolean());
        assertEquals(List.of(), pair.b.polled());
        assertFalse(pair.b.queuePair.state().failed());
        pair.b.queuePair.close();
        assertTrue(left.getAsBoolean());
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertTrue(pair.b.memory.valid());
    }

    @Test
    void bugOfTheQueuePair_peerHangsInside_theRegionIsLost() {
        world.expectsBugs = true;
        postReceive();
        peerInside(1000 * MS);
        pair.b.queuePair.endpoint().bug("a test", new AssertionError("on purpose"));
        world.advance(200 * MS);
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertEquals(IwarpQueuePairState.ERROR, pair.b.queuePair.state());
        assertFalse(pair.b.memory.valid());
    }

    @Test
    void engineDoesNotRunAnyMore_peerInside_theRnicClosesWhenItHasLeft() {
        world.expectsBugs = true;
        postReceive();
        BooleanSupplier left = peerInside(20 * MS);
        ManualEnvironment.of(pair.b.rnic).close();
        pair.b.rnic.engine(0).submit(() -> pair.b.queuePair.endpoint().bug("a test", new AssertionError("on purpose")));
        long beganNs = world.nowNs;
        pair.b.rnic.close();
        assertTrue(left.getAsBoolean());
        assertEquals(List.of("9 FLUSHED"), pair.b.polled());
        assertEquals(ConnectionState.FAILED, pair.fromB.state());
        assertTrue(world.nowNs - beganNs < 3000 * MS);
    }

    @Test
    void fewerRights_peerInside_areInEffectWhenItHasLeft() {
        BooleanSupplier left = peerInside(20 * MS);
        pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        assertTrue(left.getAsBoolean());
        byte before = pair.b.memory.segment().get(JAVA_BYTE, 100);
        pair.a.memory.segment().fill((byte) (before + 1));
        write(1, BYTES);
        driveA();
        world.settle();
        assertEquals(before, pair.b.memory.segment().get(JAVA_BYTE, 100));
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
    }

    @Test
    void otherRights_withoutAConnectionOrAfterIt_returnAtOnce() {
        QueuePair idle = pair.fresh(pair.b);
        pair.b.queuePair.close();
        long beganNs = world.nowNs;
        idle.modify(QueuePairChange.rights(Set.of()));
        idle.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        idle.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
        assertEquals(Set.of(AccessRight.REMOTE_READ), idle.query().remoteRights());
        assertEquals(beganNs, world.nowNs);
    }

    @Test
    void renewedKeyInAHandler_peerInside_returnsWhenItHasLeft() {
        BooleanSupplier left = peerInside(20 * MS);
        List<Boolean> seen = new ArrayList<>();
        pair.b.cq.onReady(() -> {
            pair.b.memory.renewKey();
            seen.add(left.getAsBoolean());
        });
        pair.b.cq.requestNotification(Notification.NEXT);
        postReceive();
        assertTrue(pair.a.queuePair.postSend(2, pair.a.memory, 0, SMALL, WrFlags.UNSIGNALLED));
        world.settle();
        assertEquals(List.of(true), seen);
        assertTrue(pair.b.memory.valid());
    }

    @Test
    void renewedKey_peerHangsInside_failsAndReportsTheLoss() {
        peerInside(1000 * MS);
        assertThrows(VerbsException.class, pair.b.memory::renewKey);
        assertFalse(pair.b.memory.valid());
        assertEquals(List.of(AsyncEventType.REGION_LOST), ManualWorld.events(pair.b.rnic));
    }

    /** Each revocation has a bound of its own: one that begins later, of another region, does not prolong it. */
    @Test
    void renewedKey_peerHangsInside_isBoundedWhateverIsRevokedMeanwhile() {
        MemoryRegion other = pair.b.domain.allocate(BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        for (int id = 1; id <= 2; id++) {
            assertTrue(pair.a.queuePair.postWrite(id, pair.a.memory, 0, SMALL, other.remote(), 0, WrFlags.SIGNALLED));
            world.settle();
        }
        HeapBlocks blocks = world.sharedMemory.orElseThrow().blocks;
        MemorySegment page = blocks.page(pair.b.memory.segment().address());
        MemorySegment otherPage = blocks.page(other.segment().address());
        page.set(JAVA_LONG, INSIDE, page.get(JAVA_LONG, INSIDE) | 1);
        long beganNs = world.nowNs;
        SoftMemoryRegion late = (SoftMemoryRegion) other;
        boolean[] revoked = {false};
        world.beforeTimePasses = () -> {
            if (world.nowNs - beganNs >= 60 * MS && !revoked[0]) {
                revoked[0] = true;
                otherPage.set(JAVA_LONG, INSIDE, otherPage.get(JAVA_LONG, INSIDE) | 1);
                late.domain().context().regions().renewKey(late.region());
            }
        };
        assertThrows(VerbsException.class, pair.b.memory::renewKey);
        assertTrue(revoked[0]);
        assertTrue(world.nowNs - beganNs <= 110 * MS, () -> (world.nowNs - beganNs) / MS + " ms");
    }

    @Test
    void localInvalidate_peerInside_completesWhenItHasLeft() {
        BooleanSupplier left = peerInside(20 * MS);
        assertTrue(pair.b.queuePair.post(pair.b
                .queuePair
                .newWorkRequest()
                .localInvalidate(pair.b.memory.rkey())
                .id(7)
                .flags(WrFlags.SIGNALLED)));
        world.advance(10 * MS);
        assertEquals(List.of(), pair.b.polled());
        world.advance(15 * MS);
        assertTrue(left.getAsBoolean());
        assertEquals(List.of("7 SUCCESS"), pair.b.polled());
    }

    @Test
    void sendWithInvalidate_peerInside_isDeliveredWhenItHasLeft() {
        postReceive();
        BooleanSupplier left = peerInside(20 * MS);
        assertTrue(pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .sendWithInvalidate(pair.b.memory.rkey())
                .gather(pair.a.memory, 0, SMALL)));
        world.advance(10 * MS);
        assertEquals(List.of(), pair.b.polled());
        world.advance(15 * MS);
        assertTrue(left.getAsBoolean());
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
    }

    @Test
    void grantedRegion_manyConnections_eachHasItsSlot() throws IOException {
        for (int i = 0; i < 70; i++) { // more than a region has slots, one after the other
            Pair.Side near = pair.a;
            var local = pair.fresh(near);
            var remote = pair.fresh(pair.b);
            try (var listener = pair.b.rnic.listen(world.address())) {
                var opening = pair.a.rnic.startConnect(
                        local, listener.localAddress(), io.verbena.verbs.ConnectionOptions.defaults());
                var request = listener.nextRequest(Pair.SECOND).orElseThrow();
                request.startAccept(remote, io.verbena.verbs.ConnectionOptions.defaults());
                world.settle();
                assertEquals(ConnectionState.ESTABLISHED, opening.state());
                for (int j = 0; j < 2; j++) {
                    assertTrue(local.postWrite(j, near.memory, 0, SMALL, pair.b.memory.remote(), 0, WrFlags.SIGNALLED));
                    world.settle();
                }
                assertEquals(2, world.sharedMemory.orElseThrow().blocks.direct);
                opening.disconnect();
                world.settle();
            }
            assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), near.polled());
            assertEquals(1, world.sharedMemory.orElseThrow().blocks.direct);
        }
        world.advance(MS);
    }
}
