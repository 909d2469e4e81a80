package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.CopyResult;
import io.verbena.verbs.PageTableKind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Paging according to the clock, the limits and the files. */
class PagerTest {

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void page_askedFor_comesOnce_andTellsOnce(PageTableKind kind) {
        try (PagedMemory memory = new PagedMemory(16, kind, 0)) {
            FakeStore store = new FakeStore(4);
            Mapping mapping = memory.map(store);
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 2, false));
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 2, false));
            assertTrue(memory.vmm.pager().hasWork());
            assertEquals(1, memory.vmm.figures().waiting());
            assertEquals(1, memory.page());
            assertFalse(memory.vmm.pager().hasWork());
            assertEquals(1, memory.arrivals);
            assertEquals(1, memory.changes);
            assertEquals(FakeStore.fill(2), memory.read(mapping, 2));
            assertEquals(List.of(2L), store.read);
            assertEquals(1, memory.vmm.figures().faults());
            assertEquals(1, memory.vmm.figures().pagedIn());
            assertEquals(0, memory.vmm.figures().waiting());
            assertEquals(15, memory.vmm.figures().freeFrames());
            assertEquals(PAGE, memory.vmm.residentBytes(mapping));
            assertEquals(List.of(), memory.troubles);
        }
    }

    @Test
    void evict_engineInside_waitsUntilItHasLeft() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(10));
            fill(memory, mapping);
            memory.engine.enter();
            onAnotherThread(() -> assertTrue(memory.vmm.pager().take(memory.job)));
            assertFalse(memory.job.settled());
            memory.engine.leave();
            assertTrue(memory.job.settled());
            memory.vmm.pager().perform(memory.job);
            memory.vmm.pager().finish(memory.job);
            assertEquals(1, memory.vmm.figures().freeFrames());
            assertEquals(FakeStore.fill(8), memory.read(mapping, 8));
        }
    }

    /** Brings 8 pages into a pool of 8 frames: the next job takes one out. */
    private static void fill(PagedMemory memory, Mapping mapping) {
        for (int i = 0; i < 7; i++) {
            memory.read(mapping, i);
        }
        memory.touch(mapping, 7, false);
        assertTrue(memory.vmm.pager().take(memory.job));
        assertTrue(memory.job.settled(), "pages to be read wait for no engine");
        memory.vmm.pager().perform(memory.job);
        memory.vmm.pager().finish(memory.job);
        assertEquals(0, memory.vmm.figures().freeFrames());
    }

    private static void onAnotherThread(Runnable action) {
        Throwable[] failure = new Throwable[1];
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                action.run();
            } catch (Throwable e) {
                failure[0] = e;
            }
        });
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (failure[0] != null) {
            throw new AssertionError(failure[0]);
        }
    }

    @Test
    void takeOut_engineInside_isPausedUntilItHasLeft() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(2);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 0, 99);
            int[] pauses = {0};
            memory.engine.enter();
            onAnotherThread(() -> {
                try {
                    new Removal(memory.vmm).swapOut(mapping, 0, 2L * PAGE, () -> {
                        assertEquals(List.of(), store.written);
                        assertFalse(memory.present(mapping, 0));
                        if (++pauses[0] == 3) {
                            memory.engine.leave();
                        }
                    });
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertEquals(3, pauses[0]);
            assertEquals(List.of(0L), store.written);
            assertEquals(99, store.content[0]);
        }
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void clock_pageThatIsUsed_stays_andTheOthersLeave(PageTableKind kind) {
        try (PagedMemory memory = new PagedMemory(8, kind, 0)) {
            FakeStore store = new FakeStore(40);
            Mapping mapping = memory.map(store);
            for (int i = 0; i < 40; i++) {
                memory.read(mapping, i);
                memory.read(mapping, 0);
            }
            // It left once, in the round in which the hand found all pages used.
            assertEquals(2, store.read.stream().filter(page -> page == 0).count(), store.read.toString());
            assertEquals(0, store.written.size(), "nothing was changed");
            assertEquals(41, memory.vmm.figures().pagedIn());
            assertTrue(memory.vmm.figures().evicted() >= 33);
            assertEquals(0, memory.vmm.figures().written());
        }
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void changedPage_leaves_writtenOnceAndExact(PageTableKind kind) {
        try (PagedMemory memory = new PagedMemory(8, kind, 0)) {
            FakeStore store = new FakeStore(40);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 3, 77);
            for (int i = 4; i < 40; i++) {
                memory.read(mapping, i);
            }
            assertEquals(List.of(3L), store.written);
            assertEquals(1, memory.vmm.figures().written());
            assertEquals(77, store.content[3 * PAGE]);
            assertEquals(FakeStore.fill(3), store.content[3 * PAGE + 1]);
            assertEquals(77, memory.read(mapping, 3));
        }
    }

    @Test
    void sequentialFaults_readAhead_doublesUpToTheLimit_andNeverBeyondTheSegment() {
        try (PagedMemory memory = new PagedMemory(128, PageTableKind.SHARED, 16)) {
            FakeStore store = new FakeStore(60);
            Mapping mapping = memory.map(store);
            memory.touch(mapping, 0, false);
            memory.page();
            assertEquals(List.of(0L), store.read);
            memory.touch(mapping, 1, false);
            memory.page();
            assertEquals(1 + 1 + 4, store.read.size());
            assertEquals(4, memory.vmm.figures().pagedAhead());
            memory.touch(mapping, 6, false);
            memory.page();
            assertEquals(6 + 1 + 8, store.read.size());
            memory.touch(mapping, 15, false);
            memory.page();
            assertEquals(15 + 1 + 16, store.read.size());
            memory.touch(mapping, 32, false);
            memory.page();
            assertEquals(32 + 1 + 16, store.read.size());
            memory.touch(mapping, 49, false);
            memory.page();
            assertEquals(60, store.read.size());
            assertEquals(6, memory.vmm.figures().faults());
            memory.read(mapping, 5);
            assertEquals(60, store.read.size());
        }
    }

    @Test
    void fault_elsewhere_endsTheReadAhead() {
        try (PagedMemory memory = new PagedMemory(128, PageTableKind.SHARED, 16)) {
            FakeStore store = new FakeStore(60);
            Mapping mapping = memory.map(store);
            memory.read(mapping, 0);
            memory.read(mapping, 1);
            memory.read(mapping, 40);
            assertEquals(1 + 5 + 1, store.read.size());
        }
    }

    static List<Throwable> failures() {
        return List.of(
                new IOException("broken"),
                new IllegalStateException("broken"),
                new OutOfMemoryError("broken"),
                new AssertionError("broken"));
    }

    /** Whatever is thrown: the thread that executes the job continues. */
    @ParameterizedTest
    @MethodSource("failures")
    void pageThatCannotBeRead_isLostOnce_andTriedAgain(Throwable failure) {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(4);
            Mapping mapping = memory.map(store);
            store.readsFail = true;
            store.failure = failure;
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 1, false));
            memory.page();
            assertEquals(List.of("fake: broken"), memory.troubles);
            assertEquals(CopyResult.LOST, memory.touch(mapping, 1, false));
            assertEquals(1, memory.vmm.figures().failedReads());
            assertEquals(8, memory.vmm.figures().freeFrames());
            store.readsFail = false;
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 1, false));
            assertEquals(FakeStore.fill(1), memory.read(mapping, 1));
        }
    }

    @Test
    void pageThatCannotBeWritten_staysAsItIs_andWhoWaitsIsLost() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(20);
            Mapping mapping = memory.map(store);
            for (int i = 0; i < 7; i++) {
                memory.write(mapping, i, 50 + i);
            }
            store.writesFail = true;
            memory.write(mapping, 7, 57);
            CopyResult result = CopyResult.NOT_NOW;
            for (int i = 0; i < 100 && result == CopyResult.NOT_NOW; i++) {
                result = memory.touch(mapping, 10, false);
                if (memory.vmm.pager().take(memory.job)) {
                    memory.vmm.pager().perform(memory.job);
                    memory.vmm.pager().finish(memory.job);
                }
            }
            assertEquals(CopyResult.LOST, result);
            assertTrue(memory.vmm.figures().failedWrites() > 0);
            assertTrue(memory.troubles.contains("fake: full"));
            store.writesFail = false;
            for (int i = 0; i < 8; i++) {
                assertEquals(50 + i, memory.read(mapping, i));
            }
            assertEquals(FakeStore.fill(10), memory.read(mapping, 10));
        }
    }

    @Test
    void processAtItsLimit_losesItsOwnPages_andOthersKeepTheirs() {
        try (PagedMemory memory = new PagedMemory(32, PageTableKind.SHARED, 0)) {
            Mapping theirs = memory.map(new FakeStore(10));
            for (int i = 0; i < 10; i++) {
                memory.read(theirs, i);
            }
            Process small = memory.vmm.newProcess("small", false, 1 << 20, 8);
            DriverTables driver = new DriverTables(memory.vmm, small);
            driver.openQueuePair();
            Mapping mapping = memory.vmm.mapPageable(small, Vmm.ANY_ID, new FakeStore(20), 20L * PAGE);
            AddressRange range = memory.vmm.range(driver, 0, driver.length());
            for (int i = 0; i < 20; i++) {
                for (int attempts = 0; attempts < 50; attempts++) {
                    memory.engine.enter();
                    CopyResult result = range.copyOut(mapping.address() + (long) i * PAGE, memory.buffer, 0, 1);
                    memory.engine.leave();
                    if (result == CopyResult.DONE) {
                        break;
                    }
                    memory.page();
                }
            }
            assertEquals(8L * PAGE, memory.vmm.residentBytes(mapping));
            assertEquals(10L * PAGE, memory.vmm.residentBytes(theirs));
            assertEquals(14, memory.vmm.figures().freeFrames());
            assertEquals(12, memory.vmm.figures().evicted());
        }
    }

    @Test
    void accessOfSeveralPages_inATinyPool_isServedThoughOthersAsk() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(40));
            AddressRange range = memory.range();
            boolean[] done = new boolean[3];
            for (int round = 0; round < 400 && !(done[0] && done[1] && done[2]); round++) {
                for (int i = 0; i < 3; i++) {
                    memory.engine.enter();
                    long at = mapping.address() + i * 10L * PAGE;
                    done[i] = done[i] || range.copyOut(at, memory.buffer, 0, 7 * PAGE) == CopyResult.DONE;
                    memory.engine.leave();
                }
                memory.page();
            }
            assertTrue(done[0] && done[1] && done[2]);
        }
    }

    @Test
    void starved_allFramesAreLeaving_saysSoOnlyThen() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(40));
            assertFalse(memory.vmm.pager().take(memory.job));
            assertFalse(memory.vmm.pager().starved());
            fill(memory, mapping);
            assertTrue(memory.vmm.pager().take(memory.job));
            memory.touch(mapping, 20, false);
            PageJob second = new PageJob();
            assertFalse(memory.vmm.pager().take(second));
            assertFalse(memory.vmm.pager().starved());
            assertFalse(memory.vmm.pager().hasWork(), "a frame is on its way to be free");
            memory.vmm.pager().perform(memory.job);
            memory.vmm.pager().finish(memory.job);
            assertTrue(memory.vmm.pager().hasWork());
            assertEquals(FakeStore.fill(20), memory.read(mapping, 20));
        }
    }

    @Test
    void pageAskedForWhileItLeaves_isWrittenFirst_thenComesAgain() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(4);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 0, 123);
            VirtualSegment segment = memory.process.table().entries().getFirst().segment();
            assertTrue(memory.vmm.pager().takeOut(memory.job, segment, 0, 4));
            assertEquals(1, segment.inFlight());
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 0, false));
            assertFalse(memory.vmm.pager().hasWork(), "it cannot come before it has left");
            memory.vmm.pager().perform(memory.job);
            memory.vmm.pager().finish(memory.job);
            assertEquals(0, segment.inFlight());
            assertEquals(123, store.content[0]);
            assertTrue(memory.vmm.pager().hasWork());
            assertEquals(123, memory.read(mapping, 0));
            assertFalse(memory.vmm.pager().takeOut(memory.job, segment, 1, 4), "nothing else is resident");
        }
    }

    @Test
    void onWork_runsWhenAPageIsAskedFor_andWhenAJobIsDone() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            int[] woken = {0};
            memory.vmm.pager().onWork(() -> woken[0]++);
            Mapping mapping = memory.map(new FakeStore(4));
            memory.touch(mapping, 0, false);
            assertEquals(1, woken[0]);
            memory.touch(mapping, 0, false);
            assertEquals(1, woken[0], "it is on its way");
            memory.page();
            assertEquals(2, woken[0]);
        }
    }

    @Test
    void unmap_pagesWanted_areForgotten_andFramesComeBack() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 1, 44);
            memory.read(mapping, 2);
            memory.touch(mapping, 3, false);
            Leaving leaving = memory.vmm.unmap(mapping);
            assertTrue(leaving.revocation().settled());
            new Removal(memory.vmm).giveBack(leaving, () -> assertTrue(memory.page() >= 0));
            assertEquals(1, store.closed);
            assertEquals(List.of(1L), store.written);
            assertEquals(8, memory.vmm.figures().freeFrames());
            assertEquals(0, memory.page());
            assertEquals(0, memory.vmm.figures().waiting());
            assertEquals(0, memory.vmm.figures().segments());
            assertThrows(IllegalStateException.class, () -> memory.vmm.length(mapping));
        }
    }

    @Test
    void unmap_pageOnItsWayIn_isWaitedFor() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            memory.touch(mapping, 3, false);
            assertTrue(memory.vmm.pager().take(memory.job));
            memory.vmm.pager().perform(memory.job);
            int[] pauses = {0};
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(mapping), () -> {
                assertEquals(0, store.closed);
                if (++pauses[0] == 2) {
                    memory.vmm.pager().finish(memory.job);
                }
            });
            assertEquals(2, pauses[0]);
            assertEquals(1, store.closed);
            assertEquals(8, memory.vmm.figures().freeFrames());
        }
    }

    @Test
    void unmap_pageThatCannotBeWritten_saysSo_andGivesEverythingBack() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 1, 44);
            store.writesFail = true;
            Leaving leaving = memory.vmm.unmap(mapping);
            IOException e = assertThrows(IOException.class, () -> new Removal(memory.vmm).giveBack(leaving, () -> {}));
            assertTrue(String.valueOf(e.getMessage()).contains("full"), e::toString);
            assertEquals(1, store.closed);
            assertEquals(8, memory.vmm.figures().freeFrames());
        }
    }

    @Test
    void shrink_changedPagesBehindTheEnd_areNotWritten() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            memory.write(mapping, 1, 44);
            memory.write(mapping, 2, 45);
            memory.write(mapping, 4, 46);
            assertTrue(memory.vmm.shrink(mapping, 2L * PAGE + 100).settled());
            new Removal(memory.vmm).dropBehind(mapping, () -> {});
            assertEquals(List.of(2L), store.written);
            assertEquals(2 * PAGE + 100, store.content.length);
            assertEquals(PAGE, memory.vmm.residentBytes(mapping));
            assertTrue(memory.present(mapping, 1));
        }
    }
}
