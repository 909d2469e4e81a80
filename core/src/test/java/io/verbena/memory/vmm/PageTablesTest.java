package io.verbena.memory.vmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.PageTableKind;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Page tables and page queues against reference models. */
class PageTablesTest {

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void table_anyOrder_agreesWithAMap(boolean inverted) {
        long seed = Seeds.one(1);
        SplittableRandom random = new SplittableRandom(seed);
        InvertedPageTable whole = new InvertedPageTable(16);
        PageTable first = inverted ? whole.of(3, 12) : new FlatPageTable();
        PageTable second = inverted ? whole.of(4, 12) : new FlatPageTable();
        Map<Long, Long> wanted = new HashMap<>();
        Map<Long, Long> other = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            PageTable table = random.nextBoolean() ? first : second;
            Map<Long, Long> map = table == first ? wanted : other;
            // Waves, so that tables grow and give back.
            long page = random.nextInt(10) == 0 ? random.nextLong(1L << 28) : random.nextInt(3000);
            long entry = PageEntry.of(random.nextInt(1 << 20), random.nextBoolean());
            if (random.nextInt(100) < (step / 4000 % 2 == 0 ? 60 : 30)) {
                table.put(page, entry);
                map.put(page, entry);
            } else {
                table.put(page, PageEntry.NONE);
                map.remove(page);
            }
            long there = map.getOrDefault(page, PageEntry.NONE);
            assertEquals(there, table.get(page), "seed " + seed + " step " + step);
            assertFalse(table.replace(page, there + 1, 5));
            if (there != PageEntry.NONE) {
                assertTrue(table.replace(page, there, there | PageEntry.USED));
                map.put(page, there | PageEntry.USED);
            }
            if (inverted) {
                assertEquals(wanted.size() + other.size(), whole.size());
            }
        }
        wanted.forEach((page, entry) -> assertEquals(entry, first.get(page), "seed " + seed));
        other.forEach((page, entry) -> assertEquals(entry, second.get(page), "seed " + seed));
    }

    @Test
    void flatTable_nothingPutAnywhere_hasNoEntries_andTakesNoneForNothing() {
        FlatPageTable table = new FlatPageTable();
        table.put(5_000_000, PageEntry.NONE);
        assertEquals(PageEntry.NONE, table.get(5_000_000));
        assertFalse(table.replace(5_000_000, PageEntry.NONE, 1));
        table.put(511, 7);
        table.put(512, 8);
        FlatPageTable copy = new FlatPageTable();
        copy.copyFrom(table);
        assertEquals(7, copy.get(511));
        assertEquals(8, copy.get(512));
        assertEquals(0, copy.get(510));
        copy.put(511, 9);
        assertEquals(7, table.get(511));
    }

    @Test
    void invertedTable_grows_whileAnEngineMarksPages_losesNothingThatIsThere() {
        InvertedPageTable whole = new InvertedPageTable(16);
        PageTable table = whole.of(1, 12);
        for (int page = 0; page < 1000; page++) {
            table.put(page, PageEntry.of(page, true));
        }
        for (int page = 0; page < 1000; page++) {
            assertTrue(table.replace(page, PageEntry.of(page, true), PageEntry.of(page, true) | PageEntry.CHANGED));
        }
        for (int page = 1000; page < 5000; page++) {
            table.put(page, PageEntry.of(page, false));
        }
        for (int page = 0; page < 5000; page++) {
            assertEquals(page, PageEntry.frame(table.get(page)));
            assertEquals(page < 1000, PageEntry.has(table.get(page), PageEntry.CHANGED | PageEntry.WRITABLE));
        }
        assertEquals(5000, whole.size());
    }

    @Test
    void pageQueue_firstComeFirstServed_alsoWhenItGrowsInTheMiddle() {
        VirtualSegment[] segments = new VirtualSegment[2];
        for (int i = 0; i < 2; i++) {
            SegmentContent content = SegmentContent.pages(new FakeStore(1));
            segments[i] = new VirtualSegment(i, new FrameAllowance(8), content, 1L << 20, 9);
        }
        PageQueue queue = new PageQueue();
        assertTrue(queue.isEmpty());
        long in = 0;
        long out = 0;
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 7; i++, in++) {
                queue.add(segments[(int) in & 1], in);
            }
            for (int i = 0; i < 3; i++, out++) {
                assertTrue(queue.isAt(segments[(int) out & 1], out));
                assertFalse(queue.isAt(segments[(int) out & 1], out + 1));
                assertFalse(queue.isAt(segments[1 - (int) (out & 1)], out));
                assertEquals(out, queue.page());
                assertEquals(segments[(int) out & 1], queue.segment());
                queue.remove();
            }
            assertEquals(in - out, queue.size());
        }
        while (!queue.isEmpty()) {
            assertEquals(out++, queue.page());
            queue.remove();
        }
        assertEquals(in, out);
    }

    @Test
    void addresses_consistOfSegmentAndOffset() {
        assertEquals(5L << 40, AddressLayout.of(5));
        assertEquals(5, AddressLayout.upper((5L << 40) + 77));
        assertEquals(77, AddressLayout.within((5L << 40) + 77));
        assertEquals((1L << 40) - 1, AddressLayout.within((6L << 40) - 1));
        assertEquals(1L << 56, AddressLayout.of(AddressLayout.MOST_SEGMENT_ID + 1));
    }

    @Test
    void segmentTable_changes_makeAnother_andIdsAreFilledFromTheLowest() {
        Vmm vmm = new Vmm(8 * 512, 512, PageTableKind.SHARED, 0);
        Process process = vmm.newProcess("p", false, 1 << 20, 8);
        assertEquals(1, process.table().freeId());
        Mapping one = vmm.mapPageable(process, Vmm.ANY_ID, new FakeStore(1), 512);
        SegmentTable before = process.table();
        Mapping two = vmm.mapPageable(process, Vmm.ANY_ID, new FakeStore(1), 512);
        assertNull(before.find(2));
        assertEquals(512, Objects.requireNonNull(process.table().find(2)).length());
        assertNull(process.table().find(-1));
        assertNull(process.table().find(3));
        assertEquals(2, process.table().entries().size());
        vmm.unmap(one);
        assertEquals(1, process.table().freeId());
        assertEquals(2, two.id());
        assertEquals(1, process.table().entries().size());
        vmm.close();
    }
}
