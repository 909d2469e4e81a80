package io.verbena.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work queues and completion rings in one thread; the stress module tests them with two. */
class RingsTest {

    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();

    private static WorkQueue queue(int depth) {
        return new WorkQueue(depth, Wqe.strideBytes(1, 0));
    }

    private boolean post(WorkQueue queue, long id) {
        if (!queue.claim(wqe)) {
            return false;
        }
        wqe.clear(WorkOpcode.SEND, WrFlags.SIGNALLED).wrId(id);
        queue.written();
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9, 64})
    void workQueue_anyDepth_holdsExactlySoMany(int depth) {
        WorkQueue queue = queue(depth);
        assertEquals(depth, queue.depth());
        assertEquals(80, queue.stride());
        assertTrue(queue.bytes() <= 4 * 80L, "bytes of an empty queue " + queue.bytes());
        long next = 0;
        for (int round = 0; round < 3; round++) {
            while (post(queue, next)) {
                next++;
            }
            assertEquals(queue.retired() + depth, next);
            assertTrue(queue.hasUnpublished());
            queue.publish();
            assertFalse(queue.hasUnpublished());
            assertEquals(next, queue.posted());
            for (long i = queue.retired(); i < queue.posted(); i++) {
                assertEquals(i, queue.at(i, wqe).wrId());
            }
            for (int i = 0; i < (depth + 1) / 2; i++) {
                queue.retire();
            }
        }
        assertTrue(queue.bytes() >= depth * 80L && queue.bytes() <= 2L * depth * 80L, "bytes " + queue.bytes());
    }

    /** The engine changes elements in place and reads them in any order, also those before the last growth. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 5, 16, 40, 64, 200})
    void workQueue_growing_keepsElementsAndWhatTheEngineHasWritten(int depth) {
        for (int seed = 0; seed < 20; seed++) {
            WorkQueue queue = new WorkQueue(depth, Wqe.strideBytes(1, 0), 1 << seed % 3);
            SplittableRandom random = new SplittableRandom(seed);
            long posted = 0;
            for (int round = 0; round < 200; round++) {
                int more = random.nextInt(depth + 1);
                for (int i = 0; i < more; i++) {
                    boolean room = posted - queue.retired() < depth;
                    assertEquals(room, post(queue, posted));
                    posted += room ? 1 : 0;
                }
                queue.publish();
                for (long i = queue.retired(); i < posted; i++) {
                    Wqe element = queue.at(i, wqe);
                    assertEquals(i, element.wrId());
                    assertTrue(element.progress() == 0 || element.progress() == (int) i);
                    element.progress((int) i);
                }
                for (int less = random.nextInt(depth + 1); less > 0 && queue.retired() < posted; less--) {
                    assertEquals(
                            (int) queue.retired(),
                            queue.at(queue.retired(), wqe).progress());
                    queue.retire();
                }
            }
        }
    }

    @Test
    void workQueue_oneElementAtATime_neverGrows() {
        WorkQueue queue = queue(64);
        long bytes = queue.bytes();
        for (int i = 0; i < 1_000; i++) {
            assertTrue(post(queue, i));
            queue.publish();
            assertEquals(i, queue.at(i, wqe).wrId());
            queue.retire();
        }
        assertEquals(bytes, queue.bytes());
    }

    @Test
    void workQueue_writtenAndNotPublished_isNotSeen() {
        WorkQueue queue = queue(4);
        assertTrue(post(queue, 1));
        assertTrue(post(queue, 2));
        assertEquals(0, queue.posted());
        queue.publish();
        assertEquals(2, queue.posted());
        assertEquals(0, queue.retired());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 16, 65, 300})
    void completionRing_besideAQueue_isTheSame(int capacity) {
        CompletionRing ring = new CompletionRing(capacity);
        assertEquals(capacity, ring.capacity());
        assertTrue(ring.bytes() <= 64 * 64L, "bytes of an empty ring " + ring.bytes());
        Queue<Long> model = new ArrayDeque<>();
        SplittableRandom random = new SplittableRandom(capacity);
        long next = 0;
        for (int i = 0; i < 3_000; i++) {
            boolean writes = random.nextInt(5) < 3 ^ i / 500 % 2 == 0;
            if (writes) {
                boolean room = ring.claim(cqe);
                assertEquals(model.size() < capacity, room);
                if (room) {
                    cqe.fill(next, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 2);
                    ring.publish(0);
                    model.add(next++);
                }
            } else {
                boolean there = ring.peek(cqe);
                assertEquals(!model.isEmpty(), there);
                if (there) {
                    assertEquals(model.remove(), cqe.wrId());
                    ring.release();
                }
            }
            assertEquals(model.size(), ring.size());
            assertEquals(next, ring.published());
        }
    }

    @Test
    void completionRing_claimedAndNotPublished_isNotSeen() {
        CompletionRing ring = new CompletionRing(2);
        assertTrue(ring.claim(cqe));
        assertFalse(ring.peek(cqe));
        assertEquals(0, ring.size());
        ring.publish(0);
        assertTrue(ring.peek(cqe));
        assertTrue(ring.peek(cqe), "looking takes nothing");
        assertEquals(1, ring.size());
    }

    @Test
    void completionRing_causes_areCollectedUntilAskedFor() {
        CompletionRing ring = new CompletionRing(8);
        assertEquals(0, ring.takeCauses());
        assertTrue(ring.claim(cqe));
        ring.publish(CompletionRing.SOLICITED);
        assertTrue(ring.claim(cqe));
        ring.publish(CompletionRing.FAILED | CompletionRing.type(CompletionOpcode.READ));
        assertEquals(
                CompletionRing.SOLICITED | CompletionRing.FAILED | CompletionRing.type(CompletionOpcode.READ),
                ring.takeCauses());
        assertEquals(0, ring.takeCauses());
    }

    @Test
    void completionRing_causes_areDifferentBits() {
        int all = CompletionRing.SOLICITED | CompletionRing.FAILED | CompletionRing.REQUESTED;
        assertEquals(3, Integer.bitCount(all));
        for (CompletionOpcode opcode : CompletionOpcode.values()) {
            int type = CompletionRing.type(opcode);
            assertEquals(0, all & type, opcode.name());
            assertEquals(1, Integer.bitCount(type));
            assertEquals(type, CompletionRing.types(CompletionTypes.of(opcode)));
            assertEquals(
                    type | CompletionRing.SOLICITED,
                    CompletionRing.types(CompletionTypes.of(opcode).orSolicited()));
            all |= type;
        }
        assertEquals(CompletionRing.CAUSES, Integer.bitCount(all));
        assertEquals(1 << CompletionRing.CAUSES, all + 1);
    }

    @Test
    void receives_ofItsOwn_areThoseThatWerePosted() {
        WorkQueue own = queue(4);
        ReceiveQueue receives = new ReceiveQueue(own);
        assertFalse(receives.isShared());
        assertFalse(receives.provide(0));
        post(own, 7);
        own.publish();
        assertTrue(receives.provide(0));
        assertFalse(receives.provide(1));
        assertEquals(1, receives.posted());
        assertEquals(7, receives.at(0, wqe).wrId());
        receives.retire();
        assertEquals(1, receives.retired());
        assertEquals(0, receives.takenFromShared());
    }

    @Test
    void receives_fromASharedQueue_areTakenWhenTheyAreNeeded() {
        WorkQueue own = queue(2);
        WorkQueue shared = queue(8);
        ReceiveQueue receives = new ReceiveQueue(own, shared);
        assertTrue(receives.isShared());
        for (int i = 0; i < 5; i++) {
            assertTrue(shared.claim(wqe));
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(i).addElement(i, 10 + i, 20 + i);
            shared.written();
        }
        assertFalse(receives.provide(0));
        shared.publish();
        assertTrue(receives.provide(1));
        assertEquals(2, receives.takenFromShared());
        assertEquals(2, shared.retired());
        assertEquals(
                "1 1 11 21",
                receives.at(1, wqe).wrId() + " " + wqe.elementKey(0) + " " + wqe.elementOffset(0) + " "
                        + wqe.elementLength(0));
        assertFalse(receives.provide(2), "its own queue is full");
        receives.retire();
        assertTrue(receives.provide(2));
        assertEquals(3, receives.takenFromShared());
        receives.retire();
        receives.retire();
        assertTrue(receives.provide(4));
        receives.retire();
        receives.retire();
        assertFalse(receives.provide(5), "the shared queue is empty");
        assertEquals(5, receives.takenFromShared());
        assertEquals(5, shared.retired());
    }
}
