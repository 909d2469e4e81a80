package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.AtomicOutcome;
import io.verbena.memory.AtomicResult;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.memory.RegionState;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.PageTableKind;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A region over pages that come and leave: copies, atomics and checks, as an engine makes them. */
class PagedRegionTest {

    private static final int DOMAIN = 1;
    private static final long WORD = 0x0101_0101_0101_0101L;

    private final PagedMemory memory = new PagedMemory(8, PageTableKind.SHARED, 0);
    private final FakeStore store = new FakeStore(4);
    private final Mapping mapping = memory.map(store);
    private final RegionTable table = new RegionTable(new SplittableRandom(5)::nextLong);
    private final Region region = table.register(
            memory.vmm.range(memory.driver, mapping.address(), 4L * PAGE),
            false,
            DOMAIN,
            EnumSet.allOf(AccessRight.class));
    private final AtomicResult result = new AtomicResult();

    private AtomicOutcome swap(long offset, long expected, long swap) {
        return region.compareAndSwap(offset, expected, -1, swap, -1, result);
    }

    @Test
    void fetchAndAdd_missingPage_isNotNow_thenDone_alsoInTheFirstWordOfTheFirstFrame() {
        assertEquals(AtomicOutcome.NOT_NOW, region.fetchAndAdd(0, 1, 0, result));
        memory.page();
        assertEquals(AtomicOutcome.DONE, region.fetchAndAdd(0, 1, 0, result));
        assertEquals(WORD, result.original());
        assertEquals(0, memory.vmm.lookUp(memory.process, mapping.address()).physicalOffset());
        assertEquals(AtomicOutcome.DONE, region.fetchAndAdd(0, 1, 1L << 63, result));
        assertEquals(WORD + 1, result.original());
        assertEquals(AtomicOutcome.UNALIGNED, region.fetchAndAdd(4, 1, 0, result));
        assertEquals(WORD + 2, memory.vmm.frames().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void compareAndSwap_missingPage_isNotNow_thenDone_alsoInTheFirstWordOfTheFirstFrame() {
        assertEquals(AtomicOutcome.NOT_NOW, swap(0, WORD, 9));
        memory.page();
        assertEquals(AtomicOutcome.DONE, swap(0, 5, 9));
        assertEquals(WORD, result.original());
        assertEquals(AtomicOutcome.DONE, swap(0, WORD, 9));
        assertEquals(WORD, result.original());
        assertEquals(9, memory.vmm.frames().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(AtomicOutcome.UNALIGNED, swap(3, 0, 0));
    }

    @Test
    void atomics_pageThatCannotBeRead_areLost_theRegionIsNot() {
        store.readsFail = true;
        assertEquals(AtomicOutcome.NOT_NOW, region.fetchAndAdd(PAGE, 1, 0, result));
        memory.page();
        assertEquals(AtomicOutcome.LOST, region.fetchAndAdd(PAGE, 1, 0, result));
        assertEquals(AtomicOutcome.NOT_NOW, swap(PAGE, 1, 0));
        memory.page();
        assertEquals(AtomicOutcome.LOST, swap(PAGE, 1, 0));
        assertEquals(RegionState.LIVE, region.state());
        store.readsFail = false;
        assertEquals(AtomicOutcome.NOT_NOW, swap(PAGE, 1, 0));
        memory.page();
        assertEquals(AtomicOutcome.DONE, swap(PAGE, 1, 0));
    }

    @Test
    void copies_goThroughThePages() {
        assertFalse(region.pinned());
        assertTrue(region.present(0, 4 * PAGE));
        assertEquals(CopyResult.NOT_NOW, region.copyOut(PAGE - 1, memory.buffer, 0, 2));
        memory.page();
        assertEquals(CopyResult.DONE, region.copyOut(PAGE - 1, memory.buffer, 0, 2));
        assertEquals(1, memory.buffer.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(2, memory.buffer.get(ValueLayout.JAVA_BYTE, 1));
        memory.buffer.set(ValueLayout.JAVA_BYTE, 0, (byte) 77);
        assertEquals(CopyResult.DONE, region.copyIn(PAGE - 1, memory.buffer, 0, 1));
        assertEquals(CopyResult.DONE, region.copyOut(PAGE - 1, memory.buffer, 5, 1));
        assertEquals(77, memory.buffer.get(ValueLayout.JAVA_BYTE, 5));
    }

    @Test
    void check_asksTheTables_andExpectedPagesAreRequested() {
        AccessCheck check = new AccessCheck();
        long base = region.baseAddress();
        assertEquals(
                Verdict.OK, check.check(table, region.rkey(), DOMAIN, base + PAGE, 2L * PAGE, AccessRight.REMOTE_READ));
        check.expect(2L * PAGE);
        assertEquals(2, memory.vmm.figures().waiting());
        memory.vmm.protect(mapping, false);
        assertEquals(Verdict.OK, check.check(table, region.rkey(), DOMAIN, base, 8, AccessRight.REMOTE_READ));
        assertEquals(Verdict.NO_RIGHT, check.check(table, region.rkey(), DOMAIN, base, 8, AccessRight.REMOTE_WRITE));
        assertEquals(Verdict.NO_RIGHT, check.checkLocal(table, region.localKey(), DOMAIN, 7, 0, 8, true));
        memory.vmm.shrink(mapping, PAGE);
        assertEquals(
                Verdict.NOT_MAPPED, check.check(table, region.rkey(), DOMAIN, base + PAGE, 8, AccessRight.REMOTE_READ));
        assertEquals(Verdict.NOT_MAPPED, check.checkLocal(table, region.localKey(), DOMAIN, 7, PAGE, 8, false));
        assertEquals(AtomicOutcome.NOT_NOW, region.fetchAndAdd(0, 1, 0, result), "it is checked again");
    }

    @Test
    void zeroBasedRegion_isAddressedByOffset() {
        Region zero = table.register(
                memory.vmm.range(memory.driver, mapping.address() + 3, 100),
                true,
                DOMAIN,
                EnumSet.allOf(AccessRight.class));
        assertEquals(0, zero.baseAddress());
        assertEquals(100, zero.length());
        Region other = table.register(
                memory.vmm.range(memory.driver, mapping.address() + 3, 100),
                false,
                DOMAIN,
                EnumSet.allOf(AccessRight.class));
        assertEquals(3, other.baseAddress() & 7, "aligned for a peer as it is here");
    }
}
