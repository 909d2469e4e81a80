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

/** Sizes and limits of a VMM, each at its edge, and what is left when segments and processes end. */
class VmmLimitsTest {

    @Test
    void sizes_atTheirLimits_areAccepted() {
        Vmm large = new Vmm(8L << 20, 1 << 20, PageTableKind.SHARED, 0);
        assertEquals(20, large.pageShift());
        assertEquals(8, large.figures().frames());
        large.close();
        assertFalse(large.frames().scope().isAlive(), "the frames are given back");
    }

    @Test
    void mapping_ofTheLongestSegment_isAccepted_aByteMoreIsNot() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            memory.vmm.checkMap(memory.process, Vmm.ANY_ID, AddressLayout.MOST_SEGMENT_BYTES);
            Mapping mapping = memory.map(new FakeStore(2));
            long tooLong = AddressLayout.MOST_SEGMENT_BYTES + 1;
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.grow(mapping, tooLong));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.shrink(mapping, tooLong));
            assertEquals(2L * PAGE, memory.vmm.length(mapping));
        }
    }

    @Test
    void growAndShrink_toTheSameLength_changeNothing() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(2));
            memory.vmm.grow(mapping, 2L * PAGE);
            assertTrue(memory.vmm.shrink(mapping, 2L * PAGE).settled());
            assertEquals(2L * PAGE, memory.vmm.length(mapping));
            assertEquals(2L * PAGE, memory.process.mappedBytes());
        }
    }

    @Test
    void limitOfMappedBytes_countsWhatIsAdded() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Process small = memory.vmm.newProcess("small", false, 10L * PAGE, 8);
            Mapping mapping = memory.vmm.mapPageable(small, Vmm.ANY_ID, new FakeStore(6), 6L * PAGE);
            memory.vmm.grow(mapping, 10L * PAGE);
            assertEquals(10L * PAGE, small.mappedBytes());
            assertThrows(IllegalStateException.class, () -> memory.vmm.grow(mapping, 10L * PAGE + 1));
            assertThrows(
                    IllegalStateException.class,
                    () -> memory.vmm.mapPageable(small, Vmm.ANY_ID, new FakeStore(1), PAGE));
            Mapping other = memory.map(new FakeStore(1));
            assertThrows(IllegalStateException.class, () -> memory.vmm.share(other, small, Vmm.ANY_ID, false));
            memory.vmm.shrink(mapping, 9L * PAGE);
            Mapping shared = memory.vmm.share(other, small, Vmm.ANY_ID, false);
            assertEquals(10L * PAGE, small.mappedBytes());
            memory.vmm.unmap(shared);
            assertEquals(9L * PAGE, small.mappedBytes());
        }
    }

    @Test
    void segmentIdAlreadyUsed_isRefused_andSharingNamesAFreeOne() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping first = memory.map(new FakeStore(1));
            Process other = memory.vmm.newProcess("other", false, 1 << 20, 8);
            assertEquals(3, memory.vmm.share(first, other, 3, true).id());
            assertThrows(IllegalStateException.class, () -> memory.vmm.share(first, other, 3, true));
            assertEquals(1, memory.vmm.share(first, other, Vmm.ANY_ID, true).id());
            assertEquals(
                    List.of(1, 3),
                    other.table().entries().stream().map(SegmentEntry::id).toList());
        }
    }

    @Test
    void localPage_missing_isRequested_thenItsFrameIsKnown() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(4));
            long base = memory.vmm.lookUp(memory.process, mapping.address()).virtualAddress();
            memory.read(mapping, 0);
            assertEquals(-1, memory.vmm.mapLocalPage(base + 2L * PAGE + 5));
            assertEquals(1, memory.vmm.figures().waiting());
            memory.page();
            long frame = memory.vmm.mapLocalPage(base + 2L * PAGE + 5);
            assertEquals(
                    memory.vmm
                            .lookUp(memory.process, mapping.address() + 2L * PAGE)
                            .frame(),
                    frame);
            assertEquals(1, frame);
            assertEquals(0, memory.vmm.mapLocalPage(base));
            assertEquals(0, memory.vmm.figures().waiting());
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.mapLocalPage(base + 4L * PAGE));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.mapLocalPage(-1));
            assertThrows(IllegalArgumentException.class, () -> memory.vmm.mapLocalPage(base + (1L << 40)));
        }
    }

    @Test
    void processLeavesASharedSegment_itsTableGoes_itsChangesAreWritten() throws IOException {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.FLAT, 0)) {
            FakeStore store = new FakeStore(4);
            Mapping local = memory.map(store);
            Process other = memory.vmm.newProcess("other", false, 1 << 20, 8);
            Mapping remote = memory.vmm.share(local, other, Vmm.ANY_ID, true);
            memory.write(local, 1, 66);
            VirtualSegment segment = memory.vmm.entry(local).segment();
            assertEquals(2, segment.tables().size());
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(local), () -> {});
            assertEquals(1, segment.tables().size());
            assertTrue(memory.vmm.lookUp(other, remote.address() + PAGE).pageChanged());
            assertEquals(List.of(), store.written);
            new Removal(memory.vmm).giveBack(memory.vmm.unmap(remote), () -> {});
            assertEquals(List.of(1L), store.written);
            assertEquals(66, store.content[PAGE]);
            assertEquals(1, store.closed);
        }
    }

    @Test
    void segmentUnmapped_accessOfAnEngineThatChecksAgain_findsNothing() {
        try (PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0)) {
            Mapping mapping = memory.map(new FakeStore(2));
            memory.read(mapping, 0);
            memory.vmm.unmap(mapping);
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, 0, false), "it is checked again");
            assertThrows(IllegalStateException.class, () -> memory.vmm.unmap(mapping));
            assertThrows(IllegalStateException.class, () -> memory.vmm.writable(mapping));
            assertEquals(0, memory.process.mappedBytes());
            assertEquals(0, memory.vmm.figures().mappedBytes());
        }
    }
}
