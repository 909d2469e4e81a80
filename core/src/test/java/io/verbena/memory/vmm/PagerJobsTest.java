package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static io.verbena.memory.vmm.PagerJobs.NOTHING;
import static io.verbena.memory.vmm.PagerJobs.all;
import static io.verbena.memory.vmm.PagerJobs.ask;
import static io.verbena.memory.vmm.PagerJobs.givePriorityAway;
import static io.verbena.memory.vmm.PagerJobs.next;
import static io.verbena.memory.vmm.PagerJobs.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.CopyResult;
import io.verbena.verbs.PageTableKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The jobs of a pager one by one: which pages come and leave, together and in which order. */
class PagerJobsTest {

    // Pages that come.

    @Test
    void pagesOfAccesses_comeOneByOne_inTheOrderOfTheRequests() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(10));
            ask(memory, mapping, 3, 4, 1);
            assertEquals(List.of("in 3", "in 4", "in 1"), all(memory));
            VirtualSegment segment = memory.process.table().entries().getFirst().segment();
            assertEquals(Pager.Asked.PRESENT, memory.vmm.pager().ask(segment, 3));
            assertEquals(NOTHING, next(memory));
        }
    }

    @Test
    void pagesReadAhead_comeTogether_asFarAsTheyAdjoin_sixteenAtMost() {
        try (PagedMemory memory = new PagedMemory(512, PageTableKind.SHARED, 64)) {
            Mapping mapping = memory.map(new FakeStore(100));
            ask(memory, mapping, 4);
            assertEquals(List.of("in 4"), all(memory));
            ask(memory, mapping, 0, 1);
            assertEquals(5, memory.vmm.figures().waiting());
            assertEquals(List.of("in 0", "in 1", "in 2,3", "in 5"), all(memory));
            ask(memory, mapping, 6);
            assertEquals(List.of("in 6", "in 7,8,9,10,11,12,13,14"), all(memory));
            ask(memory, mapping, 15);
            assertEquals(List.of("in 15", "in 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"), all(memory));
            ask(memory, mapping, 32);
            assertEquals(
                    List.of(
                            "in 32",
                            "in 33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48",
                            "in 49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64"),
                    all(memory));
        }
    }

    @Test
    void pagesReadAhead_ofTwoSegments_areNotMixed() {
        try (PagedMemory memory = new PagedMemory(512, PageTableKind.SHARED, 4)) {
            Mapping first = memory.map(new FakeStore(100));
            Mapping second = memory.map(new FakeStore(100));
            ask(memory, first, 0, 1);
            ask(memory, second, 4, 5);
            assertEquals(List.of("in 0", "in 1", "in 4", "in 5", "in 2,3,4,5", "in 6,7,8,9"), all(memory));
        }
    }

    @Test
    void pagesReadAhead_areOvertakenFourTimes_thenTheyComeFirst() {
        try (PagedMemory memory = new PagedMemory(512, PageTableKind.SHARED, 4)) {
            Mapping mapping = memory.map(new FakeStore(100));
            ask(memory, mapping, 0);
            assertEquals(List.of("in 0"), all(memory));
            ask(memory, mapping, 1, 20, 22, 24, 26, 28, 30, 32, 40, 41);
            assertEquals(
                    List.of(
                            "in 1",
                            "in 20",
                            "in 22",
                            "in 24",
                            "in 2,3,4,5",
                            "in 26",
                            "in 28",
                            "in 30",
                            "in 32",
                            "in 42,43,44,45",
                            "in 40",
                            "in 41"),
                    all(memory));
            // Pages that nothing was read ahead for do not count.
            ask(memory, mapping, 50, 52, 54, 56, 58);
            assertEquals(List.of("in 50", "in 52", "in 54", "in 56", "in 58"), all(memory));
            ask(memory, mapping, 59, 70);
            assertEquals(List.of("in 59", "in 70", "in 60,61,62,63"), all(memory));
        }
    }

    @Test
    void segmentWhosePagesWereOvertaken_isUnmapped_accessesOfOthersGoOn() throws IOException {
        try (PagedMemory memory = new PagedMemory(512, PageTableKind.SHARED, 4)) {
            Mapping first = memory.map(new FakeStore(100));
            Mapping second = memory.map(new FakeStore(100));
            ask(memory, second, 0, 1);
            ask(memory, first, 20, 22, 24, 26);
            assertEquals("in 0", next(memory));
            assertEquals("in 1", next(memory));
            assertEquals("in 20", next(memory));
            assertEquals("in 22", next(memory));
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(second), () -> {});
            assertEquals(List.of("in 24", "in 26"), all(memory));
            assertEquals(0, memory.vmm.figures().waiting());
            assertEquals(508, memory.vmm.figures().freeFrames());
        }
    }

    // Pages that leave.

    @Test
    void fewFrames_pagesAreWanted_aBatchLeavesFirst_theOldestUnused() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            for (int i = 0; i < 60; i++) {
                memory.read(mapping, i);
            }
            ask(memory, mapping, 60);
            assertEquals("in 60", next(memory), "a sixteenth is free");
            assertEquals(NOTHING, next(memory), "and nothing is wanted");
            ask(memory, mapping, 61);
            assertEquals("out 0,1,2,3", next(memory));
            assertEquals(7, memory.vmm.figures().freeFrames());
            assertEquals("in 61", next(memory));
            assertEquals(1, memory.changes - memory.arrivals, "programs that wait hear of pages that left, too");
            // Pages that were used since the hand passed stay; the hand goes on where it was.
            memory.read(mapping, 4);
            memory.read(mapping, 6);
            ask(memory, mapping, 0, 1, 2, 3);
            assertEquals(List.of("in 0", "in 1", "in 2", "out 5,7,8,9", "in 3"), all(memory));
        }
    }

    @Test
    void fewFrames_pagesReadAheadAreWanted_aBatchLeavesFirst() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 4)) {
            Mapping mapping = memory.map(new FakeStore(200));
            for (int i = 0; i < 59; i++) {
                memory.read(mapping, i * 2L);
            }
            ask(memory, mapping, 150, 151);
            assertEquals(List.of("in 150", "in 151", "out 0,2,4,6", "in 152,153,154,155"), all(memory));
        }
    }

    @Test
    void batchIsLeaving_noSecondOneIsTaken_pagesComeIntoFramesThatAreFree() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            for (int i = 0; i < 61; i++) {
                memory.read(mapping, i);
            }
            ask(memory, mapping, 61, 62, 63, 64);
            assertEquals("out 0,1,2,3", take(memory, memory.job));
            PageJob second = new PageJob();
            List<PageJob> coming = new ArrayList<>();
            for (int i = 61; i < 64; i++) {
                PageJob job = new PageJob();
                assertEquals("in " + i, take(memory, job));
                coming.add(job);
            }
            assertEquals(NOTHING, take(memory, second));
            assertFalse(memory.vmm.pager().starved(), "frames will be free");
            memory.vmm.pager().perform(memory.job);
            memory.vmm.pager().finish(memory.job);
            assertEquals("in 64", take(memory, second));
            coming.forEach(job -> {
                memory.vmm.pager().perform(job);
                memory.vmm.pager().finish(job);
            });
        }
    }

    @Test
    void allFramesAreBeingFilled_pagesWanted_isStarvedUntilOneArrived() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 16)) {
            Mapping mapping = memory.map(new FakeStore(100));
            givePriorityAway(memory, mapping);
            List<PageJob> coming = new ArrayList<>();
            ask(memory, mapping, 0, 1, 6);
            for (String expected : new String[] {"in 0", "in 1", "in 6", "in 2,3,4,5", "in 7"}) {
                PageJob job = new PageJob();
                assertEquals(expected, take(memory, job));
                coming.add(job);
            }
            PageJob more = new PageJob();
            assertEquals(NOTHING, take(memory, more));
            assertTrue(memory.vmm.pager().starved(), "pages to be read ahead wait");
            assertTrue(memory.vmm.pager().hasWork());
            ask(memory, mapping, 50);
            assertEquals(NOTHING, take(memory, more));
            assertTrue(memory.vmm.pager().starved(), "the page of an access waits");
            memory.vmm.pager().perform(coming.getFirst());
            memory.vmm.pager().finish(coming.getFirst());
            assertEquals("out 0", take(memory, more));
            assertFalse(memory.vmm.pager().starved());
        }
    }

    // Limits of a process.

    @Test
    void processAtItsLimit_nothingOfItCanLeave_othersDoNotWaitForIt() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 0)) {
            Mapping theirs = memory.map(new FakeStore(10));
            SmallProcess small = new SmallProcess(memory, 100);
            givePriorityAway(memory, theirs);
            small.ask(0, 1, 2, 3, 4, 5, 6, 7);
            List<PageJob> coming = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                PageJob job = new PageJob();
                assertEquals("in " + i, take(memory, job));
                coming.add(job);
            }
            small.ask(20);
            ask(memory, theirs, 9);
            assertEquals(NOTHING, take(memory, memory.job));
            assertTrue(memory.vmm.pager().starved());
            assertEquals("in 9", next(memory));
            assertEquals(NOTHING, take(memory, memory.job));
            memory.vmm.pager().perform(coming.getFirst());
            memory.vmm.pager().finish(coming.getFirst());
            assertEquals(List.of("out 0", "in 20"), List.of(next(memory), next(memory)));
        }
    }

    @Test
    void processAtItsLimit_itsPageLeaves_whenNoEngineUsesItAnyMore() throws InterruptedException {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 0)) {
            SmallProcess small = new SmallProcess(memory, 100);
            small.ask(0, 1, 2, 3, 4, 5, 6, 7);
            all(memory);
            small.ask(8);
            memory.engine.enter();
            String[] taken = new String[1];
            Thread pager = Thread.ofPlatform().start(() -> taken[0] = take(memory, memory.job));
            pager.join();
            assertEquals("out 7", taken[0]);
            assertFalse(memory.job.settled());
            memory.engine.leave();
            assertTrue(memory.job.settled());
        }
    }

    @Test
    void processAtItsLimit_pagesReadAhead_takeNoMoreFramesThanItMayHave() {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 16)) {
            SmallProcess small = new SmallProcess(memory, 100);
            small.ask(0, 1);
            assertEquals(List.of("in 0", "in 1", "in 2,3,4,5"), all(memory));
            small.ask(6);
            assertEquals("in 6", next(memory));
            assertEquals("in 7", next(memory), "one frame is left of its eight");
            assertEquals(8, small.process.frames().used());
            // From here on one of its own leaves for each that comes.
            for (int i = 0; i < 20; i++) {
                next(memory);
                assertTrue(
                        small.process.frames().used() <= 8,
                        "frames " + small.process.frames().used());
            }
            assertEquals(0, memory.vmm.figures().waiting());
            assertEquals(56, memory.vmm.figures().freeFrames());
        }
    }

    /** A process that may have 8 frames, with one segment. */
    private static final class SmallProcess {
        private final PagedMemory memory;
        private final Process process;
        private final DriverTables driver;
        private final Mapping mapping;

        SmallProcess(PagedMemory memory, int pages) {
            this.memory = memory;
            process = memory.vmm.newProcess("small", false, 1 << 20, 8);
            driver = new DriverTables(memory.vmm, process);
            driver.openQueuePair();
            mapping = memory.vmm.mapPageable(process, Vmm.ANY_ID, new FakeStore(pages), (long) pages * PAGE);
        }

        void ask(long... pages) {
            AddressRange range = memory.vmm.range(driver, 0, driver.length());
            for (long page : pages) {
                memory.engine.enter();
                assertEquals(
                        CopyResult.NOT_NOW,
                        range.copyOut(mapping.address() + page * PAGE, memory.buffer, 0, 1),
                        "page " + page);
                memory.engine.leave();
            }
        }
    }

    // Files that fail, and segments that become shorter.

    @Test
    void nothingCanBeWritten_accessesAreLost_andPagesReadAheadAreForgotten() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 4)) {
            FakeStore store = new FakeStore(40);
            Mapping mapping = memory.map(store);
            for (int i = 0; i < 8; i++) {
                memory.write(mapping, i * 4L, 50 + i);
            }
            ask(memory, mapping, 37, 38);
            assertEquals(3, memory.vmm.figures().waiting());
            store.writesFail = true;
            assertEquals("in 37", next(memory));
            assertTrue(next(memory).startsWith("out "));
            assertEquals(0, memory.vmm.figures().waiting());
            assertEquals(CopyResult.DONE, memory.touch(mapping, 37, false));
            assertEquals(CopyResult.LOST, memory.touch(mapping, 38, false));
            store.writesFail = false;
            assertEquals(FakeStore.fill(39), memory.read(mapping, 39));
            assertEquals(FakeStore.fill(38), memory.read(mapping, 38));
        }
    }

    @Test
    void shrink_exactlyAtAPage_changedPageThere_leavesUnwritten() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 2, 45);
            memory.vmm.shrink(mapping, 2L * PAGE);
            new Removal(memory.vmm).dropBehind(mapping, () -> {});
            assertEquals(List.of(), store.written);
            assertEquals(0, memory.vmm.residentBytes(mapping));
            assertEquals(8, memory.vmm.figures().freeFrames());
        }
    }

    @Test
    void unmap_pagesToBeReadAhead_areForgotten() throws IOException {
        try (PagedMemory memory = new PagedMemory(64, PageTableKind.SHARED, 4)) {
            Mapping mapping = memory.map(new FakeStore(60));
            ask(memory, mapping, 0, 1);
            assertEquals("in 0", next(memory));
            assertEquals("in 1", next(memory));
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(mapping), () -> {});
            assertEquals(NOTHING, next(memory));
            assertEquals(0, memory.vmm.figures().waiting());
            assertFalse(memory.vmm.pager().hasWork());
        }
    }
}
