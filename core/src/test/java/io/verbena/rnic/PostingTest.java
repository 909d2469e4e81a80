package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Accepted and rejected work requests. */
public class PostingTest {

    private static final WrFlags SIGNALLED = WrFlags.SIGNALLED;

    private final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    public ManualWorld newWorld() {
        return new ManualWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void idle_sendPosted_isRefusedWithASentence() {
        Pair.Side side = new Pair(world).a;
        IllegalStateException refusal = assertThrows(
                IllegalStateException.class, () -> side.queuePair.postSend(1, side.memory, 0, 8, SIGNALLED));
        assertTrue(refusal.toString().contains("is not connected"));
        assertTrue(side.queuePair.postReceive(1, side.memory, 0, 8));
    }

    @Test
    void rts_foreignOrClosedRegion_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        MemoryRegion otherDomain = pair.a.rnic.allocateProtectionDomain().allocate(100);
        assertThrows(IllegalArgumentException.class, () -> queuePair.postSend(1, otherDomain, 0, 8, SIGNALLED));
        assertThrows(IllegalArgumentException.class, () -> queuePair.postSend(1, pair.b.memory, 0, 8, SIGNALLED));
        MemoryRegion closed = pair.a.domain.allocate(100);
        closed.close();
        assertThrows(IllegalStateException.class, () -> queuePair.postSend(1, closed, 0, 8, SIGNALLED));
        assertThrows(IllegalStateException.class, () -> queuePair.postReceive(1, closed, 0, 8));
    }

    @Test
    void rts_rangeOutsideTheRegion_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        MemoryRegion memory = pair.a.memory;
        long end = memory.length();
        long[][] ranges = {{-1, 8}, {0, -1}, {end - 7, 8}, {end, 1}, {Long.MAX_VALUE, 8}, {Long.MAX_VALUE - 4, 8}};
        for (long[] range : ranges) {
            int length = (int) range[1];
            assertThrows(
                    IllegalArgumentException.class, () -> queuePair.postSend(1, memory, range[0], length, SIGNALLED));
            assertThrows(IllegalArgumentException.class, () -> queuePair.postReceive(1, memory, range[0], length));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> queuePair.newWorkRequest().send().gather(memory, range[0], length));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair.postFetchAndAdd(1, memory, end - 4, 0, 0, 1, SIGNALLED));
        assertTrue(queuePair.postSend(1, memory, end, 0, SIGNALLED), "zero bytes at the end");
    }

    @Test
    void rts_workThatIwarpDoesNotSupport_isRejectedWithASentence() throws IOException {
        Pair pair = new Pair(world).connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        MemoryRegion memory = pair.a.memory;
        WorkRequest immediate = queuePair.newWorkRequest().sendWithImmediate(5).gather(memory, 0, 8);
        assertThrows(UnsupportedOperationException.class, () -> queuePair.post(immediate));
        assertTrue(queuePair.post(queuePair.newWorkRequest().sendWithImmediate(5)));
        WorkRequest two = queuePair
                .newWorkRequest()
                .fetchAndAdd(0, 0, 1)
                .scatter(memory, 0, 4)
                .scatter(memory, 8, 4);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(two));
        WorkRequest inlineRead =
                queuePair.newWorkRequest().read(0, 0).scatter(memory, 0, 8).flags(SIGNALLED.withInline());
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(inlineRead));
        assertThrows(
                IllegalArgumentException.class, () -> queuePair.newWorkRequest().delay(-1));
    }

    @Test
    void rts_listOrInlineTooLong_isRefused() throws IOException {
        Pair pair = new Pair(
                world, RnicOptions.defaults(), 64, o -> o.withElements(2, 1).withMaxInlineBytes(16));
        pair.connect();
        SoftQueuePair queuePair = pair.a.queuePair;
        MemoryRegion memory = pair.a.memory;
        WorkRequest receive =
                queuePair.newWorkRequest().receive().scatter(memory, 0, 4).scatter(memory, 4, 4);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(receive));
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair
                        .newWorkRequest()
                        .send()
                        .gather(memory, 0, 1)
                        .gather(memory, 0, 1)
                        .gather(memory, 0, 1));
        assertThrows(
                IllegalArgumentException.class, () -> queuePair.postSend(1, memory, 0, 17, SIGNALLED.withInline()));
        assertThrows(
                IllegalArgumentException.class,
                () -> queuePair.newWorkRequest().send().inlineData(memory.segment(), 0, 17));
    }

    @Test
    void rts_queueFull_returnsFalseUntilWorkIsComplete() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, o -> o.withDepths(3, 3));
        pair.connect();
        for (int i = 0; i < 3; i++) {
            assertTrue(pair.a.queuePair.postReceive(i, pair.a.memory, 0, 8));
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8));
            assertTrue(pair.a.queuePair.postSend(i, pair.a.memory, 0, 8, SIGNALLED));
        }
        assertFalse(pair.a.queuePair.postSend(9, pair.a.memory, 0, 8, SIGNALLED));
        assertFalse(pair.a.queuePair.postReceive(9, pair.a.memory, 0, 8));
        assertEquals(3, pair.a.queuePair.query().sendOutstanding());
        assertEquals(3, pair.a.queuePair.query().receiveOutstanding());
        world.settle();
        assertTrue(pair.a.queuePair.postSend(3, pair.a.memory, 0, 0, SIGNALLED));
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), pair.a.polled());
    }

    @Test
    void rts_batch_isInvisibleUntilItsDoorbellWhichRingsOnce() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 4; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, 0, 8);
        }
        ManualEnvironment environment = ManualEnvironment.of(pair.a.rnic);
        environment.woken.clear();
        pair.a.queuePair.startBatch();
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, SIGNALLED);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 8, SIGNALLED);
        world.settle();
        assertEquals(List.of(), pair.a.polled());
        assertEquals(List.of(), environment.woken);

        pair.a.queuePair.ringDoorbell();
        assertEquals(List.of(0), environment.woken);
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, SIGNALLED);
        assertEquals(List.of(0), environment.woken, "rung and not served yet");
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        pair.a.queuePair.postSend(4, pair.a.memory, 0, 8, SIGNALLED);
        assertEquals(List.of(0, 0), environment.woken);
    }

    @Test
    void rts_receivePosted_wakesNoEngine() throws IOException {
        Pair pair = new Pair(world).connect();
        ManualEnvironment.of(pair.a.rnic).woken.clear();
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        assertEquals(List.of(), ManualEnvironment.of(pair.a.rnic).woken);
    }

    @Test
    void rts_inlinePayload_isCopiedWhenPosted() throws IOException {
        Pair pair = new Pair(world).connect();
        for (int i = 0; i < 3; i++) {
            pair.b.queuePair.postReceive(i, pair.b.memory, i * 100L, 100);
        }
        MemorySegment own = pair.a.memory.segment();
        own.set(ValueLayout.JAVA_LONG, 0, 0x1111);
        own.set(ValueLayout.JAVA_LONG, 64, 0x2222);
        pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, SIGNALLED.withInline());
        WorkRequest template = pair.a
                .queuePair
                .newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, 8)
                .gather(pair.a.memory, 64, 8)
                .flags(SIGNALLED.withInline())
                .id(2);
        pair.a.queuePair.post(template);
        byte[] heap = {9, 8, 7};
        pair.a.queuePair.post(template.send().id(3).inlineData(MemorySegment.ofArray(heap), 1, 2));
        own.fill((byte) -1);
        heap[1] = 0;
        world.settle();

        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), pair.a.polled());
        MemorySegment there = pair.b.memory.segment();
        assertEquals(0x1111, there.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(0x1111, there.get(ValueLayout.JAVA_LONG_UNALIGNED, 100));
        assertEquals(0x2222, there.get(ValueLayout.JAVA_LONG_UNALIGNED, 108));
        assertEquals(8, there.get(ValueLayout.JAVA_BYTE, 200));
        assertEquals(7, there.get(ValueLayout.JAVA_BYTE, 201));
        for (long expected : new long[] {8, 16, 2}) {
            assertTrue(pair.b.cursor.next());
            assertEquals(expected, pair.b.cursor.byteCount());
        }
    }

    @Test
    void rts_templatePostedAgain_isSentWithItsChanges() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.fill(3);
        WorkRequest write = pair.a
                .queuePair
                .newWorkRequest()
                .write(pair.b.memory.address(), pair.b.memory.rkey())
                .gather(pair.a.memory, 0, 100)
                .gather(pair.a.memory, 500, 60);
        assertTrue(pair.a.queuePair.post(write.id(1)));
        assertTrue(pair.a.queuePair.post(write.id(2).remote(pair.b.memory.address() + 1000, pair.b.memory.rkey())));
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
        MemorySegment there = pair.b.memory.segment();
        assertEquals(-1, there.asSlice(0, 160).mismatch(there.asSlice(1000, 160)));
        assertEquals(-1, there.asSlice(100, 60).mismatch(pair.a.memory.segment().asSlice(500, 60)));
    }

    @Test
    void error_workPosted_isAcceptedAndFlushed() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        world.settle();
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.UNSIGNALLED));
        assertTrue(pair.a.queuePair.postReceive(2, pair.a.memory, 0, 8));
        world.settle();
        assertEquals(List.of("1 FLUSHED", "2 FLUSHED"), pair.a.polled());
        assertTrue(pair.a.queuePair.postReceive(3, pair.a.memory, 0, 8));
        world.settle();
        assertEquals(List.of("3 FLUSHED"), pair.a.polled());
    }

    @Test
    void closed_workPosted_isRefused() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.close();
        pair.a.queuePair.close();
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, SIGNALLED));
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8));
    }

    @Test
    void posting_secondConcurrentPoster_isDetected() {
        PosterMark mark = new PosterMark();
        assertTrue(mark.begin());
        assertThrows(IllegalStateException.class, mark::begin);
        assertTrue(mark.end());
        assertTrue(mark.begin());
    }

    @Test
    void creation_optionsOutOfRange_areRefused() {
        Pair.Side side = new Pair(world).a;
        QueuePairOptions good = QueuePairOptions.of(side.cq);
        List<QueuePairOptions> bad = List.of(
                good.withDepths(0, 1),
                good.withDepths(1, 1 << 20),
                good.withElements(1000, 1),
                good.withMaxInlineBytes(100_000),
                good.withReads(-1, 1),
                good.withReads(1, 10_000));
        for (QueuePairOptions options : bad) {
            assertThrows(IllegalArgumentException.class, () -> side.domain.createQueuePair(options));
        }
        SoftRnic other = world.rnic();
        assertThrows(
                IllegalArgumentException.class,
                () -> other.allocateProtectionDomain().createQueuePair(good));
        assertThrows(IllegalArgumentException.class, () -> side.domain.allocate(0));
        assertThrows(IllegalArgumentException.class, () -> side.domain.register(MemorySegment.ofArray(new byte[8])));
        assertEquals(
                0, side.domain.allocate(8, AccessRight.REMOTE_READ).segment().get(ValueLayout.JAVA_LONG, 0));
    }
}
