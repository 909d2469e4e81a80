package io.verbena.rnic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that is executed within the call that posts it, and what happens to a post at which something is missing. */
class ExecutedPostsTest {

    private static final int SMALL = 8;

    private ManualWorld world = ManualWorld.direct();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world, RnicOptions.defaults(), 64, options -> options.withMaxInlineBytes(64)).connect();
        pair.a.fill(1);
        pair.b.fill(2);
        assertTrue(write(0, 0, SMALL, WrFlags.SIGNALLED)); // requests the grant
        world.settle();
        assertEquals(List.of("0 SUCCESS"), pair.a.polled());
        alone(true);
    }

    @AfterEach
    void close() {
        alone(false);
        world.close();
        assertEquals(0, world.sharedMemory.orElseThrow().blocks.direct);
    }

    private ManualEnvironment environment() {
        return ManualEnvironment.of(pair.a.rnic);
    }

    /** Whether the thread of the test may hold the engine of the poster. */
    private void alone(boolean value) {
        environment().alone = value;
        environment().woken.clear();
    }

    private boolean write(int id, long offset, int bytes, WrFlags flags) {
        return pair.a.queuePair.postWrite(
                id, pair.a.memory, offset, bytes, pair.b.memory.address() + offset, pair.b.memory.rkey(), flags);
    }

    private boolean read(int id, long offset, int bytes) {
        return pair.a.queuePair.postRead(
                id,
                pair.a.memory,
                offset,
                bytes,
                pair.b.memory.address() + offset,
                pair.b.memory.rkey(),
                WrFlags.SIGNALLED);
    }

    private boolean arrived(long offset, int bytes) {
        return pair.a
                        .memory
                        .segment()
                        .asSlice(offset, bytes)
                        .mismatch(pair.b.memory.segment().asSlice(offset, bytes))
                == -1;
    }

    private void assertExecuted(boolean executed) {
        assertEquals(executed, environment().woken.isEmpty(), "whether the engine was not woken");
    }

    @Test
    void write_isDoneWhenTheCallReturns() {
        assertTrue(write(1, 1000, SMALL, WrFlags.SIGNALLED));
        assertTrue(arrived(1000, SMALL));
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertExecuted(true);
    }

    @Test
    void unsignalledInlineWrite_isDone_andHasNoCompletion() {
        assertTrue(write(1, 1000, SMALL, WrFlags.UNSIGNALLED.withInline().withFence()));
        assertTrue(arrived(1000, SMALL));
        assertEquals(List.of(), pair.a.polled());
        assertExecuted(true);
    }

    @Test
    void read_isDoneWhenTheCallReturns() {
        assertTrue(read(1, 1000, SMALL));
        assertTrue(arrived(1000, SMALL));
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertExecuted(true);
    }

    @Test
    void atomics_areExecutedOnce() {
        pair.b.memory.segment().set(JAVA_LONG, 0, 40);
        long address = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        assertTrue(pair.a.queuePair.postFetchAndAdd(1, pair.a.memory, 0, address, key, 2, WrFlags.SIGNALLED));
        assertTrue(pair.a.queuePair.postCompareAndSwap(2, pair.a.memory, 8, address, key, 42, 7, WrFlags.SIGNALLED));
        assertEquals(40, pair.a.memory.segment().get(JAVA_LONG, 0));
        assertEquals(42, pair.a.memory.segment().get(JAVA_LONG, 8));
        assertEquals(7, pair.b.memory.segment().get(JAVA_LONG, 0));
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        assertExecuted(true);
    }

    /** More than the send queue has slots: executed work occupies none. */
    @Test
    void manyWrites_withoutATurn_areAllDone() {
        for (int i = 0; i < 1000; i++) {
            pair.a.memory.segment().set(JAVA_LONG, 0, i);
            assertTrue(write(i, 0, SMALL, WrFlags.UNSIGNALLED));
            assertEquals(i, pair.b.memory.segment().get(JAVA_LONG, 0));
        }
        assertExecuted(true);
    }

    @Test
    void templateWithTwoElements_isGathered() {
        assertTrue(pair.a.queuePair.post(pair.a
                .queuePair
                .newWorkRequest()
                .write(pair.b.memory.address(), pair.b.memory.rkey())
                .id(5)
                .element(pair.a.memory, 100, 3)
                .element(pair.a.memory, 200, 5)));
        assertEquals(
                -1,
                pair.b
                        .memory
                        .segment()
                        .asSlice(0, 3)
                        .mismatch(pair.a.memory.segment().asSlice(100, 3)));
        assertEquals(
                -1,
                pair.b
                        .memory
                        .segment()
                        .asSlice(3, 5)
                        .mismatch(pair.a.memory.segment().asSlice(200, 5)));
        assertEquals(List.of("5 SUCCESS"), pair.a.polled());
        assertExecuted(true);
    }

    @Test
    void batch_waitsForItsDoorbell() {
        pair.a.queuePair.startBatch();
        assertTrue(write(1, 1000, SMALL, WrFlags.SIGNALLED));
        assertFalse(arrived(1000, SMALL));
        pair.a.queuePair.ringDoorbell();
        world.settle();
        assertTrue(arrived(1000, SMALL));
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    // Order.

    @Test
    void afterASendThatThePeerHasNotProcessed_followsIt() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, 5000, SMALL));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, SMALL, WrFlags.SIGNALLED));
        environment().drive();
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertTrue(write(2, 1000, SMALL, WrFlags.SIGNALLED));
        assertFalse(arrived(1000, SMALL));
        world.settle();
        assertTrue(arrived(1000, SMALL));
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
        environment().woken.clear();
        assertTrue(write(3, 2000, SMALL, WrFlags.SIGNALLED));
        assertExecuted(true);
    }

    @Test
    void afterWorkInTheQueue_followsIt() {
        alone(false);
        assertTrue(write(1, 0, SMALL, WrFlags.SIGNALLED));
        alone(true);
        assertTrue(write(2, 1000, SMALL, WrFlags.SIGNALLED));
        assertFalse(arrived(1000, SMALL));
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void afterAnUnrungBatch_followsIt() {
        pair.a.queuePair.startBatch();
        assertTrue(write(1, 0, SMALL, WrFlags.SIGNALLED));
        pair.a.queuePair.ringDoorbell();
        assertTrue(write(2, 1000, SMALL, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void sendAfterIt_isDeliveredAfterIt() {
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, 5000, SMALL));
        assertTrue(write(1, 1000, SMALL, WrFlags.UNSIGNALLED));
        assertTrue(pair.a.queuePair.postSend(2, pair.a.memory, 0, SMALL, WrFlags.SIGNALLED));
        assertTrue(arrived(1000, SMALL));
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
    }

    @Test
    void insideATurn_isLeftToTheNextOne() {
        boolean[] posted = new boolean[2];
        pair.a.queuePair.endpoint().command(() -> {
            posted[0] = write(1, 1000, SMALL, WrFlags.SIGNALLED);
            posted[1] = arrived(1000, SMALL);
        });
        world.settle();
        assertTrue(posted[0]);
        assertFalse(posted[1]);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    // What ends it.

    /** What is wrong with a post, or has ended before it. */
    enum Wrong {
        KEY,
        RANGE,
        RENEWED_KEY,
        CLOSED_REGION,
        PEER_IN_ERROR,
        OWN_ERROR,
        DISCONNECTED,
        PEER_DISCONNECTED,
        RIGHTS_OF_THE_PEER
    }

    /** A post that finds something wrong has the outcome of one that is not executed at once. */
    @ParameterizedTest
    @EnumSource
    void wrong_hasTheOutcomeOfATurn(Wrong wrong) throws IOException {
        List<String> executing = outcome(wrong, true);
        List<String> byTurns = outcome(wrong, false);
        assertEquals(byTurns, executing);
    }

    private List<String> outcome(Wrong wrong, boolean alone) throws IOException {
        close();
        world = ManualWorld.direct();
        connect();
        alone(alone);
        List<String> seen = new ArrayList<>(happens(wrong));
        world.settle();
        seen.addAll(pair.a.polled());
        seen.add(pair.fromA.state() + " " + pair.fromA.termination());
        seen.add("byte " + pair.b.memory.segment().get(JAVA_BYTE, 4000));
        return seen;
    }

    private List<String> happens(Wrong wrong) {
        long address = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        int wrongKey = wrong == Wrong.KEY ? key + 1 : key;
        long at = wrong == Wrong.RANGE ? address + pair.b.memory.length() - SMALL + 1 : address + 4000;
        switch (wrong) {
            case RENEWED_KEY -> pair.b.memory.renewKey();
            case CLOSED_REGION -> pair.b.memory.close();
            case PEER_IN_ERROR -> pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case OWN_ERROR -> pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case DISCONNECTED -> pair.fromA.disconnect();
            case PEER_DISCONNECTED -> pair.fromB.disconnect();
            case RIGHTS_OF_THE_PEER -> pair.b.queuePair.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
            case KEY, RANGE -> {}
        }
        List<String> results = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            results.add("" + pair.a.queuePair.postWrite(i, pair.a.memory, 8, SMALL, at, wrongKey, WrFlags.SIGNALLED));
            world.settle();
        }
        return results;
    }

    @Test
    void closedLocalRegion_isRefusedWithTheUsualStatus() {
        MemoryRegion own = pair.a.domain.allocate(4096, AccessRight.LOCAL_WRITE);
        own.close();
        assertThrows(
                RuntimeException.class,
                () -> pair.a.queuePair.postWrite(
                        1, own, 0, SMALL, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.SIGNALLED));
    }

    @Test
    void localRegionWithoutTheRight_isRefusedWithTheUsualStatus() {
        MemoryRegion own = pair.a.domain.allocate(4096, AccessRight.REMOTE_READ);
        assertTrue(pair.a.queuePair.postRead(
                1, own, 0, SMALL, pair.b.memory.address(), pair.b.memory.rkey(), WrFlags.SIGNALLED));
        world.settle();
        assertEquals(List.of("1 LOCAL_PROTECTION"), pair.a.polled());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
    }

    @Test
    void fullCompletionQueue_isAnOverflow_asInATurn() {
        IntStream.range(0, 64).forEach(i -> assertTrue(write(i, 0, SMALL, WrFlags.SIGNALLED)));
        assertExecuted(true);
        assertTrue(write(64, 1000, SMALL, WrFlags.SIGNALLED));
        assertExecuted(false);
        world.settle();
        assertEquals(64, pair.a.polled().size());
        assertEquals(ConnectionState.FAILED, pair.fromA.state());
    }

    @Test
    void peerGone_nothingIsExecutedOnceThatIsKnown() {
        pair.fromB.close();
        world.settle();
        assertTrue(write(1, 1000, SMALL, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(List.of("1 FLUSHED"), pair.a.polled());
        assertFalse(arrived(1000, SMALL));
    }
}
