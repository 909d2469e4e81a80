package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.CopyResult;
import io.verbena.memory.PagedRange;
import io.verbena.memory.Verdict;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges of addresses at their edges: marks in the tables, words for atomics, and pages requested in advance. */
class AddressRangeTest {

    private static void bring(PagedMemory memory, AddressRange range, long offset, int bytes) {
        range.copyOut(offset, memory.buffer, 0, bytes);
        memory.page();
    }

    @Test
    void range_inTheMiddleOfASegment_countsFromItsStart() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(4));
            AddressRange range = memory.vmm.range(memory.driver, mapping.address() + PAGE + 5, 2L * PAGE);
            assertEquals(2L * PAGE, range.length());
            assertEquals(5, range.lowestBits());
            assertEquals(Verdict.OK, range.checkMapped(0, 3L * PAGE - 5, true));
            assertEquals(Verdict.NOT_MAPPED, range.checkMapped(0, 3L * PAGE - 4, true));
            assertEquals(Verdict.OK, range.checkMapped(3L * PAGE - 5, 0, false));
            bring(memory, range, PAGE - 6, 2);
            assertEquals(CopyResult.DONE, range.copyOut(PAGE - 6, memory.buffer, 7, 2));
            assertEquals(2, memory.buffer.get(ValueLayout.JAVA_BYTE, 7));
            assertEquals(3, memory.buffer.get(ValueLayout.JAVA_BYTE, 8));
        }
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void accesses_markThePage_readsAsUsed_writesAsChanged(PageTableKind kind) {
        try (PagedMemory memory = new PagedMemory(16, kind, 0)) {
            Mapping mapping = memory.map(new FakeStore(4));
            memory.touch(mapping, 1, false);
            memory.page();
            Translation there = memory.vmm.lookUp(memory.process, mapping.address() + PAGE);
            assertTrue(there.pageValid());
            assertFalse(there.pageUsed() || there.pageChanged());
            assertEquals(CopyResult.DONE, memory.touch(mapping, 1, false));
            Translation read = memory.vmm.lookUp(memory.process, mapping.address() + PAGE);
            assertTrue(read.pageUsed());
            assertFalse(read.pageChanged());
            assertEquals(CopyResult.DONE, memory.touch(mapping, 1, true));
            Translation written = memory.vmm.lookUp(memory.process, mapping.address() + PAGE);
            assertTrue(written.pageUsed() && written.pageChanged());
            assertFalse(memory.present(mapping, 0));
        }
    }

    @Test
    void word_unmappedReadOnlyOrAcrossTheEnd_isAbsent() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(1));
            AddressRange range = memory.range();
            MemorySegment frames = memory.vmm.frames();
            memory.read(mapping, 0);
            assertEquals(PAGE - 8, range.locateWord(mapping.address() + PAGE - 8, frames));
            assertEquals(PagedRange.ABSENT, range.locateWord(mapping.address() + PAGE - 7, frames));
            assertEquals(PagedRange.ABSENT, range.locateWord(5L << 40, frames));
            assertSame(frames, range.memoryOf(5L << 40));
            memory.vmm.protect(mapping, false);
            assertEquals(PagedRange.ABSENT, range.locateWord(mapping.address(), frames));
            assertEquals(Verdict.NO_RIGHT, range.checkMapped(mapping.address(), 8, true));
        }
    }

    @Test
    void expect_pinnedOrPresentPages_requestsNothing() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            MemorySegment pinned = Arena.ofAuto().allocate(3 * PAGE);
            Mapping fixed = memory.vmm.mapPinned(memory.process, Vmm.ANY_ID, pinned, () -> {}, true);
            memory.range().expect(fixed.address(), 3L * PAGE);
            assertEquals(0, memory.vmm.figures().waiting());
            Mapping mapping = memory.map(new FakeStore(4));
            memory.range().expect(mapping.address() + PAGE, PAGE);
            assertEquals(1, memory.vmm.figures().waiting(), "the byte after the last is on another page");
            memory.page();
            memory.range().expect(mapping.address(), 2L * PAGE);
            assertEquals(1, memory.vmm.figures().waiting());
        }
    }

    @Test
    void pinnedSegment_readAndWritten_atTheExactPlace() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            MemorySegment pinned = Arena.ofAuto().allocate(2 * PAGE);
            Mapping mapping = memory.vmm.mapPinned(memory.process, Vmm.ANY_ID, pinned, () -> {}, true);
            memory.buffer.set(ValueLayout.JAVA_BYTE, 3, (byte) 44);
            assertEquals(CopyResult.DONE, memory.range().copyIn(mapping.address() + PAGE + 9, memory.buffer, 3, 1));
            assertEquals(44, pinned.get(ValueLayout.JAVA_BYTE, PAGE + 9));
            assertEquals(CopyResult.DONE, memory.range().copyOut(mapping.address() + PAGE + 9, memory.buffer, 20, 1));
            assertEquals(44, memory.buffer.get(ValueLayout.JAVA_BYTE, 20));
            assertEquals(CopyResult.NOT_NOW, memory.range().copyIn(mapping.address() + 2L * PAGE, memory.buffer, 0, 1));
        }
    }

    @Test
    void translation_showsEachStep() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            memory.map(new FakeStore(1));
            Mapping mapping = memory.map(new FakeStore(4));
            memory.read(mapping, 0);
            memory.read(mapping, 3);
            Translation way = memory.vmm.lookUp(memory.process, mapping.address() + 3L * PAGE + 7);
            assertEquals(mapping.address() + 3L * PAGE + 7, way.effectiveAddress());
            assertEquals(2, way.segmentId());
            assertEquals(3, way.pageNumber());
            assertEquals(7, way.pageOffset());
            assertTrue(way.segmentValid() && way.segmentWritable() && way.pageWritable());
            assertEquals(4L * PAGE, way.segmentLength());
            assertEquals(1, way.frame());
            assertEquals(PAGE + 7, way.physicalOffset());
            assertFalse(way.pinned());
            assertEquals(2, way.upperVirtualAddress());
            assertEquals((2L << 40) + 3L * PAGE + 7, way.virtualAddress());
            Translation missing = memory.vmm.lookUp(memory.process, mapping.address() + PAGE);
            assertFalse(missing.pageValid());
            assertEquals(0, missing.physicalOffset());
            Translation nothing = memory.vmm.lookUp(memory.process, (9L << 40) + PAGE + 1);
            assertEquals(9, nothing.segmentId());
            assertEquals(1, nothing.pageNumber());
            assertEquals(1, nothing.pageOffset());
            assertFalse(nothing.segmentValid());
        }
    }
}
