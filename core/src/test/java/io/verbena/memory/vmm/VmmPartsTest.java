package io.verbena.memory.vmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.EngineEpoch;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Observers of paging, jobs of the pager, and the walk through the tables that a program sees. */
class VmmPartsTest {

    @Test
    void observers_arrivalWakesAll_troubleIsReportedOnce_changeIsLast() {
        PagingObservers observers = new PagingObservers();
        List<String> reported = new ArrayList<>();
        observers.pagesArrived("no listener yet");
        observers.onArrival(() -> reported.add("one"));
        observers.onArrival(() -> reported.add("two"));
        observers.onTrouble(reported::add);
        observers.onChange(() -> reported.add("change"));
        observers.pagesArrived("");
        assertEquals(List.of("one", "two", "change"), reported);
        reported.clear();
        observers.pagesArrived("x.bin: broken");
        assertEquals(List.of("one", "two", "x.bin: broken", "change"), reported);
        reported.clear();
        observers.pagesLeft();
        assertEquals(List.of("change"), reported);
    }

    @Test
    void observers_engineRemoved_isNotWaitedFor() {
        PagingObservers observers = new PagingObservers();
        EngineEpoch stays = new EngineEpoch();
        EngineEpoch leaves = new EngineEpoch();
        observers.addEngine(stays);
        observers.addEngine(leaves);
        observers.removeEngine(leaves);
        assertEquals(List.of(stays), observers.epochs());
    }

    @Test
    void job_isReused_withoutWhatTheLastOneHad() throws InterruptedException {
        VirtualSegment segment =
                new VirtualSegment(1, new FrameAllowance(8), SegmentContent.pages(new FakeStore(1)), 512, 9);
        EngineEpoch engine = new EngineEpoch();
        PageJob job = new PageJob();
        assertTrue(job.settled());
        job.begin(PageJob.Kind.TAKE_OUT);
        for (int i = 0; i < PageJob.MOST; i++) {
            assertFalse(job.isFull());
            job.add(segment, i, i, true);
        }
        assertTrue(job.isFull());
        job.failed[3] = true;
        job.reason = "broken";
        Thread inside = new Thread(engine::enter);
        inside.start();
        inside.join();
        job.waitFor(List.of(engine));
        assertFalse(job.settled());
        job.begin(PageJob.Kind.BRING_IN);
        job.add(segment, 7, 2, false);
        assertTrue(job.settled());
        assertEquals("", job.reason);
        assertEquals(1, job.count);
        assertEquals(segment, job.segment(0));
        assertFalse(job.failed[0]);
        assertFalse(job.changed[0]);
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void walk_showsWhatTheTablesHave_stepByStep(PageTableKind kind) {
        try (PagedMemory memory = new PagedMemory(8, kind, 0)) {
            Mapping mapping = memory.map(new FakeStore(3));
            long address = mapping.address() + 2L * FakeStore.PAGE + 17;
            Translation absent = memory.vmm.lookUp(memory.process, address);
            assertTrue(absent.segmentValid());
            assertFalse(absent.pageValid());
            assertEquals(mapping.id(), absent.segmentId());
            assertEquals(2, absent.pageNumber());
            assertEquals(17, absent.pageOffset());
            assertEquals(3L * FakeStore.PAGE, absent.segmentLength());
            assertEquals(
                    AddressLayout.of(absent.upperVirtualAddress()) + 2L * FakeStore.PAGE + 17, absent.virtualAddress());
            memory.write(mapping, 2, 9);
            Translation present = memory.vmm.lookUp(memory.process, address);
            assertTrue(present.pageValid() && present.pageUsed() && present.pageChanged() && present.pageWritable());
            assertEquals((long) present.frame() * FakeStore.PAGE + 17, present.physicalOffset());
            assertFalse(memory.vmm.lookUp(memory.process, -1).segmentValid());
            assertFalse(memory.vmm
                    .lookUp(memory.process, AddressLayout.of(mapping.id() + 1))
                    .segmentValid());
        }
    }

    @Test
    void walk_pinnedSegment_needsNoPageTable() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            MemorySegment pinned = MemorySegment.ofArray(new byte[2000]);
            Mapping mapping = memory.vmm.mapPinned(memory.process, Vmm.ANY_ID, pinned, () -> {}, false);
            Translation found = memory.vmm.lookUp(memory.process, mapping.address() + 1025);
            assertTrue(found.pinned() && found.pageValid());
            assertFalse(found.segmentWritable());
            assertEquals(1025, found.physicalOffset());
        }
    }
}
