package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.PagerJobs.NOTHING;
import static io.verbena.memory.vmm.PagerJobs.all;
import static io.verbena.memory.vmm.PagerJobs.ask;
import static io.verbena.memory.vmm.PagerJobs.askTogether;
import static io.verbena.memory.vmm.PagerJobs.givePriorityAway;
import static io.verbena.memory.vmm.PagerJobs.next;
import static io.verbena.memory.vmm.PagerJobs.segmentOf;
import static io.verbena.memory.vmm.PagerJobs.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.CopyResult;
import io.verbena.verbs.PageTableKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages that stay for the accesses that asked for them, and the access that has priority. */
class PagerPriorityTest {

    @Test
    void noPageWasUsedYet_theOneThatArrivedLast_leaves() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            givePriorityAway(memory, mapping);
            ask(memory, mapping, 0, 1, 2, 3, 4, 5, 6, 7);
            List<PageJob> jobs = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                PageJob job = new PageJob();
                assertEquals("in " + i, take(memory, job));
                jobs.add(job);
            }
            for (int i : new int[] {4, 3, 7, 6, 5, 2, 1, 0}) {
                memory.vmm.pager().perform(jobs.get(i));
                memory.vmm.pager().finish(jobs.get(i));
            }
            ask(memory, mapping, 20);
            assertEquals(List.of("out 0", "in 20"), all(memory));
            ask(memory, mapping, 21);
            assertEquals(List.of("out 20", "in 21"), all(memory));
            memory.read(mapping, 7);
            ask(memory, mapping, 22);
            assertEquals(List.of("out 7", "in 22"), all(memory), "a page whose access is done is kept no longer");
        }
    }

    @Test
    void poolIsFull_nothingIsWanted_onlyPagesThatWereUsed_leaveInAdvance() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            ask(memory, mapping, 0, 1, 2, 3, 4, 5, 6, 7);
            assertEquals(List.of("in 0", "in 1", "in 2", "in 3", "in 4", "in 5", "in 6", "in 7"), all(memory));
            assertFalse(memory.vmm.pager().starved());
            for (int i = 7; i >= 0; i--) {
                assertEquals(CopyResult.DONE, memory.touch(mapping, i, false), "page " + i);
            }
            assertEquals(List.of("out 0"), all(memory));
        }
    }

    @Test
    void pagesOfAnAccessThatNeverReturns_areKeptForThirtyTwoShortagesOnly() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(200));
            givePriorityAway(memory, mapping);
            ask(memory, mapping, 0, 1, 2, 3, 4, 5, 6, 7);
            all(memory);
            for (int i = 0; i < 31; i++) {
                ask(memory, mapping, 100 + i);
                assertEquals(List.of("out " + (i == 0 ? 7 : 99 + i), "in " + (100 + i)), all(memory));
            }
            ask(memory, mapping, 131);
            assertEquals(List.of("out 130", "in 131", "out 0"), all(memory));
        }
    }

    @Test
    void accessOfSeveralPages_hasPriority_nothingOfItLeavesBeforeItWasUsed() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            Mapping other = memory.map(new FakeStore(100));
            memory.vmm.pager().claim(segmentOf(memory, mapping), 10, 11);
            ask(memory, other, 10, 11, 12, 13);
            assertEquals(CopyResult.NOT_NOW, askTogether(memory, mapping, 10, 2));
            all(memory);
            ask(memory, mapping, 9, 12);
            assertEquals(List.of("in 9", "in 12"), all(memory));
            // The pages before and after it, and the same pages of another segment, have no priority.
            for (String expected : new String[] {"out 12", "out 50", "out 51"}) {
                ask(memory, mapping, 50 + memory.vmm.figures().evicted());
                assertEquals(expected, next(memory));
                next(memory);
            }
            assertTrue(memory.present(mapping, 10) && memory.present(mapping, 11));
            assertEquals(CopyResult.DONE, askTogether(memory, mapping, 10, 2));
        }
    }

    /** The youngest pages are those of the access with priority, or of its neighbours. */
    @Test
    void accessWithPriority_arrivedLast_theYoungestOtherPageLeaves() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            memory.vmm.pager().claim(segmentOf(memory, mapping), 10, 12);
            ask(memory, mapping, 30, 31, 32, 33, 34);
            all(memory);
            assertEquals(CopyResult.NOT_NOW, askTogether(memory, mapping, 10, 3));
            assertEquals(List.of("in 10", "in 11", "in 12"), all(memory));
            ask(memory, mapping, 50);
            assertEquals(List.of("out 34", "in 50"), all(memory));
        }
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            Mapping other = memory.map(new FakeStore(100));
            memory.vmm.pager().claim(segmentOf(memory, mapping), 10, 11);
            ask(memory, mapping, 30, 31, 32, 33);
            assertEquals(CopyResult.NOT_NOW, askTogether(memory, mapping, 10, 2));
            all(memory);
            ask(memory, mapping, 9);
            ask(memory, other, 11);
            all(memory);
            ask(memory, mapping, 50);
            assertEquals(List.of("out 11", "in 50"), all(memory));
            assertTrue(memory.present(mapping, 11), "it was the other segment's");
            ask(memory, mapping, 12);
            assertEquals(List.of("out 50", "in 12"), all(memory));
        }
    }

    @Test
    void priority_isOneAccessesOnly_untilItHasEnded() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(400));
            Mapping other = memory.map(new FakeStore(400));
            VirtualSegment segment = segmentOf(memory, mapping);
            memory.vmm.pager().claim(segment, 10, 11);
            ask(memory, mapping, 30, 31, 32, 33, 34, 35);
            all(memory);
            ask(memory, mapping, 10, 11);
            all(memory);
            // Another place, another length or another segment: each waits for its turn.
            memory.vmm.pager().claim(segment, 9, 11);
            memory.vmm.pager().claim(segment, 10, 35);
            memory.vmm.pager().claim(segmentOf(memory, other), 10, 11);
            ask(memory, other, 10);
            assertEquals(List.of("out 35", "in 10"), all(memory));
            ask(memory, mapping, 100);
            assertEquals(List.of("out 10", "in 100"), all(memory));
            assertTrue(memory.present(mapping, 10));
        }
    }

    @Test
    void priority_ofAnAccessThatDoesNotRepeatItsRequest_endsAfterSixtyFourShortages() {
        assertEquals(65, shortagesUntilAPageLeaves(false));
    }

    @Test
    void priority_ofAnAccessThatRepeatsItsRequest_lastsLonger() {
        assertEquals(40 + 65, shortagesUntilAPageLeaves(true));
    }

    /** All frames have pages of the access with priority, and another access waits for a frame. */
    private static int shortagesUntilAPageLeaves(boolean repeats) {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(200));
            Mapping other = memory.map(new FakeStore(200));
            VirtualSegment segment = segmentOf(memory, mapping);
            memory.vmm.pager().claim(segment, 0, 7);
            ask(memory, mapping, 0, 1, 2, 3, 4, 5, 6, 7);
            all(memory);
            ask(memory, mapping, 100);
            for (int shortages = 1; shortages < 200; shortages++) {
                if (!next(memory).equals(NOTHING)) {
                    return shortages;
                }
                if (shortages == 40) {
                    // Requests for other pages are not repetitions.
                    memory.vmm.pager().claim(segment, 0, 8);
                    memory.vmm.pager().claim(segment, 1, 7);
                    memory.vmm.pager().claim(segmentOf(memory, other), 0, 7);
                    if (repeats) {
                        memory.vmm.pager().claim(segment, 0, 7);
                    }
                }
            }
            throw new AssertionError("no page leaves");
        }
    }
}
