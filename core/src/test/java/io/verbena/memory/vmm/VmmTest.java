package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.CopyResult;
import io.verbena.memory.PagedRange;
import io.verbena.memory.Verdict;
import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler.Answer;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mapping, sharing, resizing and protecting, as each kind of access sees it. */
class VmmTest {

    @Test
    void sizes_outOfRange_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Vmm(1 << 20, 1000, PageTableKind.SHARED, 0));
        assertThrows(IllegalArgumentException.class, () -> new Vmm(1 << 20, 256, PageTableKind.SHARED, 0));
        assertThrows(IllegalArgumentException.class, () -> new Vmm(1L << 30, 1 << 21, PageTableKind.SHARED, 0));
        assertThrows(IllegalArgumentException.class, () -> new Vmm(7 * 512, 512, PageTableKind.SHARED, 0));
        assertThrows(IllegalArgumentException.class, () -> new Vmm((1L << 26) * 512 + 512, 512, PageTableKind.FLAT, 0));
        Vmm least = new Vmm(8 * 512, 512, PageTableKind.FLAT, 0);
        assertEquals(9, least.pageShift());
        assertEquals(PageTableKind.FLAT, least.kind());
        assertEquals(8, least.figures().frames());
        assertEquals(2, least.pagesOf(513));
        assertEquals(1, least.pagesOf(512));
        least.close();
    }

    @Test
    void mapping_limits_areKept() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Process process = memory.vmm.newProcess("small", false, 10L * PAGE, 8);
            assertEquals(2, memory.vmm.processes().size());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> memory.vmm.mapPageable(process, Vmm.ANY_ID, new FakeStore(1), 0));
            assertThrows(
                    IllegalArgumentException.class, () -> memory.vmm.checkMap(process, Vmm.ANY_ID, (1L << 40) + 1));
            Mapping mapping = memory.vmm.mapPageable(process, 7, new FakeStore(6), 6L * PAGE);
            assertEquals(7L << 40, mapping.address());
            assertThrows(IllegalStateException.class, () -> memory.vmm.checkMap(process, Vmm.ANY_ID, 4L * PAGE + 1));
            memory.vmm.checkMap(process, Vmm.ANY_ID, 4L * PAGE);
            assertThrows(IllegalStateException.class, () -> memory.vmm.checkMap(process, 7, 1));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.checkMap(process, -1, 1));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.checkMap(process, 65_536, 1));
            memory.vmm.checkMap(process, 65_535, 1);
            assertThrows(IllegalStateException.class, () -> memory.vmm.grow(mapping, 11L * PAGE));
            assertEquals(6L * PAGE, process.mappedBytes());
            memory.vmm.unmap(mapping);
            assertEquals(0, process.mappedBytes());
            memory.vmm.endProcess(process);
            assertEquals(1, memory.vmm.processes().size());
        }
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void sharedSegment_changesByOneAreSeenByTheOther_alsoWhenTheFirstLeaves(PageTableKind kind) throws IOException {
        try (PagedMemory memory = new PagedMemory(16, kind, 0)) {
            FakeStore store = new FakeStore(4);
            Mapping local = memory.map(store);
            memory.write(local, 1, 90);
            Process other = memory.vmm.newProcess("other", true, 1 << 20, 16);
            Mapping remote = memory.vmm.share(local, other, 3, false);
            DriverTables driver = new DriverTables(memory.vmm, other);
            driver.openQueuePair();
            AddressRange range = memory.vmm.range(driver, remote.address(), 4L * PAGE);
            assertEquals(CopyResult.DONE, range.copyOut(PAGE, memory.buffer, 0, 1));
            assertEquals(90, memory.buffer.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(Verdict.NO_RIGHT, range.check(0, 1, true, 1, 0));
            assertEquals(Verdict.OK, range.check(0, 1, false, 1, 0));
            memory.write(local, 2, 91);
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(local), () -> {});
            assertEquals(0, store.closed, "the other has it");
            assertEquals(CopyResult.DONE, range.copyOut(2L * PAGE, memory.buffer, 0, 1));
            assertEquals(91, memory.buffer.get(ValueLayout.JAVA_BYTE, 0));
            AddressRange virtual = memory.vmm.range(new VirtualAddresses(memory.vmm, other), 0, 1L << 62);
            long at = memory.vmm.lookUp(other, remote.address()).virtualAddress();
            assertEquals(CopyResult.DONE, virtual.copyOut(at + PAGE, memory.buffer, 0, 1));
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(remote), () -> memory.page());
            assertEquals(1, store.closed);
            assertEquals(90, store.content[PAGE]);
            assertEquals(91, store.content[2 * PAGE]);
            assertEquals(16, memory.vmm.figures().freeFrames());
        }
    }

    @ParameterizedTest
    @EnumSource(PageTableKind.class)
    void resize_everyWayToTheSegment_knowsTheNewLength(PageTableKind kind) throws IOException {
        try (PagedMemory memory = new PagedMemory(16, kind, 0)) {
            FakeStore store = new FakeStore(8);
            Mapping mapping = memory.map(store);
            Process kernel = memory.vmm.newProcess("kernel", true, 1 << 20, 16);
            Mapping shared = memory.vmm.share(mapping, kernel, Vmm.ANY_ID, true);
            AddressView view = new VirtualAddresses(memory.vmm, kernel);
            AddressRange virtual = memory.vmm.range(view, 0, view.length());
            long base = memory.vmm.lookUp(memory.process, mapping.address()).virtualAddress();
            assertEquals(Verdict.OK, virtual.check(base + 7L * PAGE, PAGE, true, 1, 0));
            assertTrue(memory.vmm.shrink(mapping, 5L * PAGE).settled());
            assertEquals(Verdict.NOT_MAPPED, virtual.check(base + 5L * PAGE - 1, 2, false, 1, 0));
            assertEquals(Verdict.OK, virtual.check(base + 5L * PAGE - 1, 1, false, 1, 0));
            assertEquals(5L * PAGE, memory.vmm.length(mapping));
            assertEquals(5L * PAGE, memory.vmm.length(shared));
            assertEquals(5L * PAGE, memory.process.mappedBytes());
            assertEquals(5L * PAGE, kernel.mappedBytes());
            assertEquals(5L * PAGE, memory.vmm.figures().mappedBytes());
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(mapping.address() + 5L * PAGE, 1, false, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.mapLocalPage(base + 5L * PAGE));
            memory.vmm.grow(mapping, 20L * PAGE);
            assertEquals(Verdict.OK, virtual.check(base + 19L * PAGE, PAGE, true, 1, 0));
            assertEquals(20 * PAGE, store.content.length);
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.grow(mapping, 19L * PAGE));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.shrink(mapping, 21L * PAGE));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.shrink(mapping, 0));
        }
    }

    @Test
    void protect_readOnly_endsWriting_andCannotExceedTheStore() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(2);
            store.writable = false;
            Mapping fixed = memory.map(store);
            assertFalse(memory.vmm.writable(fixed));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.protect(fixed, true));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.share(fixed, memory.process, 0, true));
            Mapping mapping = memory.map(new FakeStore(2));
            long address = mapping.address();
            assertTrue(memory.vmm.protect(mapping, false).settled());
            assertEquals(Verdict.NO_RIGHT, memory.range().check(address, 1, true, 1, 0));
            assertEquals(
                    CopyResult.NOT_NOW, memory.range().copyIn(address, memory.buffer, 0, 1), "it is checked again");
            memory.vmm.protect(mapping, true);
            assertEquals(Verdict.OK, memory.range().check(address, 1, true, 1, 0));
            assertTrue(memory.vmm.pageable(mapping));
            assertFalse(memory.vmm.direct(mapping));
        }
    }

    @Test
    void pinnedSegment_isThereAtOnce_andGivenBackOnce() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            MemorySegment pinned = Arena.ofAuto().allocate(3 * PAGE);
            int[] given = {0};
            Mapping mapping = memory.vmm.mapPinned(memory.process, Vmm.ANY_ID, pinned, () -> given[0]++, true);
            pinned.set(ValueLayout.JAVA_BYTE, PAGE, (byte) 7);
            assertEquals(CopyResult.DONE, memory.touch(mapping, 1, false));
            assertEquals(7, memory.buffer.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(3L * PAGE, memory.vmm.residentBytes(mapping));
            assertEquals(pinned, memory.vmm.pinned(mapping).orElseThrow());
            assertFalse(memory.vmm.pageable(mapping));
            assertFalse(memory.vmm.direct(mapping));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.grow(mapping, 4L * PAGE));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.shrink(mapping, PAGE));
            long address = mapping.address() + 16;
            assertEquals(pinned, memory.range().memoryOf(address));
            assertEquals(16, memory.range().locateWord(address, pinned));
            assertEquals(PagedRange.ABSENT, memory.range().locateWord(address, memory.vmm.frames()));
            Translation way = memory.vmm.lookUp(memory.process, mapping.address() + PAGE + 5);
            assertTrue(way.pinned() && way.pageValid() && way.pageWritable());
            assertEquals(5, way.pageOffset());
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(mapping), () -> {});
            assertEquals(1, given[0]);
        }
    }

    @Test
    void locateWord_pageable_isInTheFrame_andMarksItChanged() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(2);
            Mapping mapping = memory.map(store);
            long address = mapping.address() + PAGE + 24;
            MemorySegment frames = memory.range().memoryOf(address);
            assertEquals(PagedRange.ABSENT, memory.range().locateWord(address, frames));
            memory.page();
            long at = memory.range().locateWord(address, frames);
            Translation way = memory.vmm.lookUp(memory.process, address);
            assertEquals(way.physicalOffset(), at);
            assertTrue(way.pageChanged() && way.pageUsed() && way.pageValid());
            assertEquals(mapping.id(), way.segmentId());
            assertEquals(1, way.pageNumber());
            assertEquals(2L * PAGE, way.segmentLength());
            assertEquals(FakeStore.fill(1), frames.get(ValueLayout.JAVA_BYTE, at));
            assertEquals(PagedRange.ABSENT, memory.range().locateWord(mapping.address() + 2L * PAGE - 4, frames));
            assertFalse(memory.vmm.lookUp(memory.process, 5L << 40).segmentValid());
            assertFalse(memory.vmm.lookUp(memory.process, -1).segmentValid());
            store.readsFail = true;
            assertEquals(PagedRange.ABSENT, memory.range().locateWord(mapping.address(), frames));
            memory.page();
            assertEquals(PagedRange.GONE, memory.range().locateWord(mapping.address(), frames));
        }
    }

    @Test
    void expect_asksForThePagesOfARange_upToItsLimit() {
        try (PagedMemory memory = new PagedMemory(128, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(100));
            memory.range().expect(mapping.address() + 10, 2L * PAGE);
            assertEquals(3, memory.vmm.figures().waiting());
            memory.range().expect(mapping.address() + 5L * PAGE, 0);
            memory.range().expect(mapping.address() + 99L * PAGE, PAGE + 1);
            memory.range().expect(5L << 40, 1);
            assertEquals(3, memory.vmm.figures().waiting());
            memory.range().expect(mapping.address() + 5L * PAGE, 95L * PAGE);
            assertEquals(3 + 64, memory.vmm.figures().waiting());
            memory.page();
            memory.range().expect(mapping.address() + 10, 2L * PAGE);
            assertEquals(0, memory.vmm.figures().waiting());
        }
    }

    @Test
    void copy_acrossPages_isExact_bothWays() {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.INVERTED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            long from = mapping.address() + PAGE - 3;
            while (memory.range().copyOut(from, memory.buffer, 5, 2 * PAGE + 7) != CopyResult.DONE) {
                assertTrue(memory.page() > 0);
            }
            for (int i = 0; i < 2 * PAGE + 7; i++) {
                byte wanted = FakeStore.fill((PAGE - 3 + i) / PAGE);
                assertEquals(wanted, memory.buffer.get(ValueLayout.JAVA_BYTE, 5 + i), "byte " + i);
            }
            memory.buffer.fill((byte) 0x55);
            assertEquals(CopyResult.DONE, memory.range().copyIn(from, memory.buffer, 0, 2 * PAGE + 7));
            assertEquals(CopyResult.DONE, memory.range().copyOut(from, memory.buffer, 0, 0));
            assertEquals(FakeStore.fill(0), memory.read(mapping, 0));
            assertEquals(0x55, memory.read(mapping, 1));
            assertEquals(0x55, memory.read(mapping, 3));
        }
    }

    @Test
    void driver_knowsTheTableWhileAQueuePairIsOpen() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(1));
            assertEquals(1, memory.driver.queuePairs());
            assertEquals(2, memory.driver.updates());
            assertEquals(1, memory.process.drivers());
            memory.driver.openQueuePair();
            assertEquals(2, memory.driver.updates());
            memory.driver.closeQueuePair();
            assertEquals(Verdict.OK, memory.range().check(mapping.address(), 1, false, 1, 0));
            memory.driver.closeQueuePair();
            assertEquals(0, memory.process.drivers());
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(mapping.address(), 1, false, 1, 0));
            memory.driver.openQueuePair();
            assertEquals(Verdict.OK, memory.range().check(mapping.address(), 1, false, 1, 0));
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(-1, 1, false, 1, 0));
            assertEquals(AddressLayout.EFFECTIVE_BYTES, memory.driver.length());
        }
    }

    @Test
    void swapIn_bringsARange_andSaysWhenAllIsThere() throws IOException {
        try (PagedMemory memory = new PagedMemory(16, PageTableKind.SHARED, 0)) {
            FakeStore store = new FakeStore(6);
            Mapping mapping = memory.map(store);
            assertFalse(memory.vmm.swapIn(mapping, PAGE, 2L * PAGE + 1));
            assertEquals(3, memory.vmm.figures().waiting());
            memory.page();
            assertTrue(memory.vmm.swapIn(mapping, PAGE, 2L * PAGE + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.vmm.swapIn(mapping, 5L * PAGE, PAGE + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.vmm.swapIn(mapping, -1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.vmm.swapIn(mapping, 0, -1));
            store.readsFail = true;
            assertFalse(memory.vmm.swapIn(mapping, 5L * PAGE, PAGE));
            memory.page();
            assertThrows(IOException.class, () -> memory.vmm.swapIn(mapping, 5L * PAGE, PAGE));
            new Removal(memory.vmm).swapOut(mapping, 2L * PAGE, PAGE, () -> {});
            assertTrue(memory.present(mapping, 1) && !memory.present(mapping, 2) && memory.present(mapping, 3));
        }
    }

    // What is not mapped.

    @Test
    void unmapped_withoutAHandler_isRefused() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(1L << 40, 8, false, 1, 5));
            assertEquals(0, memory.process.unmapped().size());
        }
    }

    @Test
    void unmapped_answers_areForTheAccessThatAsked() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            UnmappedAccesses unmapped = memory.process.unmapped();
            List<UnmappedAccesses.Access> asked = new ArrayList<>();
            unmapped.handler(asked::add);
            long at = (1L << 40) + 16;
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 1, 5));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 4, true, 1, 5), "another attempt");
            assertEquals(1, asked.size());
            assertEquals(new PageFault(at, 8, true, 5), asked.getFirst().fault());
            // Another queue pair, direction, key or place is another access.
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 2, 5));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, false, 1, 5));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 1, 6));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at + 1, 8, true, 1, 5));
            assertEquals(5, asked.size());
            assertEquals(5, unmapped.reported());
            unmapped.answer(asked.get(0), Answer.REFUSED);
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 2, 5));
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(at, 8, true, 1, 5));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 1, 5), "the next access asks again");
            assertEquals(6, asked.size());
            // Mapped, but not.
            unmapped.answer(asked.get(5), Answer.MAPPED);
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(at, 8, true, 1, 5));
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 8, true, 1, 5));
            // Mapped for less than is wanted by now.
            unmapped.answer(asked.get(6), Answer.MAPPED);
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 9, true, 1, 5));
            assertEquals(8, asked.size());
            // Mapped, used, and unmapped.
            Mapping mapping = memory.map(new FakeStore(1));
            unmapped.answer(asked.get(7), Answer.MAPPED);
            assertEquals(Verdict.OK, memory.range().check(at, 9, true, 1, 5));
            memory.vmm.unmap(mapping);
            assertEquals(Verdict.NOT_NOW, memory.range().check(at, 9, true, 1, 5));
            assertEquals(9, asked.size());
        }
    }

    @Test
    void unmapped_queuePairEnds_itsAnswersGo_andWhatIsAskedCountsUntilItIsAnswered() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            UnmappedAccesses unmapped = memory.process.unmapped();
            List<UnmappedAccesses.Access> asked = new ArrayList<>();
            unmapped.handler(asked::add);
            memory.range().check(1L << 40, 8, true, 1, 5);
            memory.range().check(2L << 40, 8, true, 1, 5);
            memory.range().check(3L << 40, 8, true, 2, 5);
            unmapped.answer(asked.get(0), Answer.REFUSED);
            unmapped.queuePairGone(1);
            assertEquals(2, unmapped.size());
            assertEquals(Verdict.NOT_NOW, memory.range().check(2L << 40, 8, true, 1, 5), "used again, it asks again");
            assertEquals(4, asked.size());
            unmapped.answer(asked.get(1), Answer.REFUSED);
            assertEquals(2, unmapped.size());
            unmapped.answer(asked.get(2), Answer.REFUSED);
            assertEquals(Verdict.NOT_MAPPED, memory.range().check(3L << 40, 8, true, 2, 5));
        }
    }

    @Test
    void unmapped_asManyAsThereMayBe_furtherOnesWait() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            UnmappedAccesses unmapped = memory.process.unmapped();
            List<UnmappedAccesses.Access> asked = new ArrayList<>();
            unmapped.handler(asked::add);
            for (int i = 0; i < UnmappedAccesses.MOST + 10; i++) {
                assertEquals(Verdict.NOT_NOW, memory.range().check((1L << 40) + i, 1, false, 1, 5));
            }
            assertEquals(UnmappedAccesses.MOST, asked.size());
            assertEquals(UnmappedAccesses.MOST, unmapped.size());
            unmapped.answer(asked.get(3), Answer.REFUSED);
            assertEquals(Verdict.NOT_NOW, memory.range().check((2L << 40), 1, false, 1, 5));
            assertEquals(UnmappedAccesses.MOST + 1, asked.size());
            assertEquals(UnmappedAccesses.MOST, unmapped.size());
        }
    }

    @Test
    void program_seesItsOwnTable_withoutAQueuePair() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            ProgramAccess program = new ProgramAccess(memory.vmm);
            memory.driver.closeQueuePair();
            FakeStore store = new FakeStore(2);
            Mapping mapping = memory.map(store);
            long at = mapping.address();
            MemorySegment buffer = memory.buffer;
            assertEquals(ProgramAccess.Outcome.NOT_NOW, program.copy(memory.process, at, buffer, 0, 4, false));
            memory.page();
            assertEquals(ProgramAccess.Outcome.DONE, program.copy(memory.process, at, buffer, 0, 4, false));
            assertEquals(1, buffer.get(ValueLayout.JAVA_BYTE, 3));
            buffer.set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
            assertEquals(ProgramAccess.Outcome.DONE, program.copy(memory.process, at + 7, buffer, 0, 1, true));
            assertTrue(memory.vmm.lookUp(memory.process, at).pageChanged());
            memory.vmm.protect(mapping, false);
            assertEquals(ProgramAccess.Outcome.NOT_WRITABLE, program.copy(memory.process, at, buffer, 0, 1, true));
            assertEquals(
                    ProgramAccess.Outcome.NOT_MAPPED,
                    program.copy(memory.process, at + 2L * PAGE, buffer, 0, 1, false));
            store.readsFail = true;
            assertEquals(ProgramAccess.Outcome.NOT_NOW, program.copy(memory.process, at + PAGE, buffer, 0, 1, false));
            memory.page();
            assertEquals(ProgramAccess.Outcome.LOST, program.copy(memory.process, at + PAGE, buffer, 0, 1, false));
        }
    }
}
