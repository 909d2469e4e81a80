package io.verbena.memory.vmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A segment with the page tables of two processes, as a flat table per process makes them. */
class VirtualSegmentTest {

    private static final int USED = (int) PageEntry.USED;

    private final VirtualSegment segment = new VirtualSegment(
            5, new FrameAllowance(8), SegmentContent.pages(new FakeStore(3)), 2L * FakeStore.PAGE + 1, 9);
    private final PageTable first = new FlatPageTable();
    private final PageTable second = new FlatPageTable();

    VirtualSegmentTest() {
        segment.tables().add(first);
        segment.tables().add(second);
    }

    @Test
    void lengthWithPartOfAPage_countsAsAPage() {
        assertEquals(3, segment.pages());
        segment.length(2L * FakeStore.PAGE);
        assertEquals(2, segment.pages());
    }

    @Test
    void bitsOfAllTables_areCombined() {
        segment.put(1, PageEntry.of(4, true));
        first.put(1, first.get(1) | PageEntry.USED);
        second.put(1, second.get(1) | PageEntry.CHANGED);
        assertEquals(PageEntry.of(4, true) | PageEntry.USED | PageEntry.CHANGED, segment.entry(1));
        assertEquals(PageEntry.NONE, segment.entry(0));
    }

    @Test
    void takeUsed_clearsTheBitInEveryTable_andKeepsTheOthers() {
        segment.put(0, PageEntry.of(3, false) | PageEntry.CHANGED);
        assertFalse(segment.takeUsed(0));
        second.put(0, second.get(0) | USED);
        assertTrue(segment.takeUsed(0));
        assertFalse(segment.takeUsed(0));
        assertEquals(PageEntry.of(3, false) | PageEntry.CHANGED, segment.entry(0));
    }

    @Test
    void takeUsed_pageThatIsNotValid_isNotTouched() {
        segment.put(0, PageEntry.WANTED | PageEntry.USED);
        assertFalse(segment.takeUsed(0));
        assertEquals(PageEntry.WANTED | PageEntry.USED, segment.entry(0));
    }

    @Test
    void retire_noTableHasThePageAnyMore_andWhatWasMarkedIsReturned() {
        segment.put(2, PageEntry.of(7, true));
        second.put(2, second.get(2) | PageEntry.CHANGED);
        long last = segment.retire(2);
        assertTrue(PageEntry.has(last, PageEntry.CHANGED | PageEntry.VALID));
        assertEquals(7, PageEntry.frame(last));
        assertEquals(PageEntry.LEAVING, first.get(2));
        assertEquals(PageEntry.LEAVING, second.get(2));
    }

    @Test
    void markChanged_onlyAPageThatIsValid() {
        segment.markChanged(0);
        assertEquals(PageEntry.NONE, segment.entry(0));
        segment.put(0, PageEntry.of(1, true));
        segment.markChanged(0);
        segment.markChanged(0);
        assertEquals(PageEntry.of(1, true) | PageEntry.CHANGED, segment.entry(0));
    }

    @Test
    void readAhead_sequentialRequests_doublesUpToTheLimit_andEndsElsewhere() {
        assertEquals(0, segment.aheadOf(0, 10));
        long page = 1;
        int[] seen = new int[4];
        for (int i = 0; i < seen.length; i++) {
            seen[i] = segment.aheadOf(page, 10);
            page += seen[i] + 1;
        }
        assertEquals("4 8 10 10", text(seen));
        assertEquals(0, segment.aheadOf(page + 1, 10));
        assertEquals(4, segment.aheadOf(page + 2, 10));
    }

    @Test
    void readAhead_disabled_isNever() {
        for (long page = 0; page < 5; page++) {
            assertEquals(0, segment.aheadOf(page, 0));
        }
    }

    private static String text(int[] numbers) {
        return String.join(" ", IntStream.of(numbers).mapToObj(String::valueOf).toList());
    }

    @Test
    void processesAttached_areCounted() {
        assertEquals(1, segment.attach(1));
        assertEquals(2, segment.attach(1));
        assertEquals(1, segment.attach(-1));
        assertEquals(1, segment.attached());
    }

    @Test
    void pinnedMemory_isGivenBackByItsOwner_andHasNoStore() {
        int[] given = new int[1];
        MemorySegment memory = MemorySegment.ofArray(new byte[100]);
        VirtualSegment pinned = new VirtualSegment(
                6, new FrameAllowance(8), SegmentContent.pinned(memory, () -> given[0]++, false), 100, 9);
        assertFalse(pinned.pageable());
        assertFalse(pinned.writable());
        assertEquals(memory, pinned.pinned().orElseThrow());
        assertThrows(NoSuchElementException.class, pinned::store);
        pinned.giveBack();
        assertEquals(1, given[0]);
        assertTrue(segment.pageable());
        assertTrue(segment.writable());
    }

    @Test
    void entryOfASegment_coversItsBytes_notOneMore() {
        SegmentEntry entry = new SegmentEntry(1, 100, true, segment, first);
        assertTrue(entry.covers(0, 100));
        assertTrue(entry.covers(100, 0));
        assertTrue(entry.covers(99, 1));
        assertFalse(entry.covers(99, 2));
        assertFalse(entry.covers(101, 0));
        assertFalse(entry.covers(0, Long.MAX_VALUE));
    }
}
