package io.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Posted binds of one key, compared with a list. */
class PostedBindsTest {

    private record Entry(int value, int queuePair, long address, long length, long sequence) {}

    private final PostedBinds posted = new PostedBinds();
    private final List<Entry> model = new ArrayList<>();

    private void add(Entry entry) {
        posted.add(entry.value(), entry.queuePair(), entry.address(), entry.length(), entry.sequence());
        model.add(entry);
    }

    private void compare() {
        assertEquals(model.size(), posted.count());
        for (int i = 0; i < model.size(); i++) {
            Entry wanted = model.get(i);
            Entry found = new Entry(
                    posted.value(i), posted.queuePair(i), posted.address(i), posted.length(i), posted.sequence(i));
            assertEquals(wanted, found, "entry " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anyOrderOfAddsAndRemovals_agreesWithAList(long seed) {
        SeededRandom random = new SeededRandom(seed);
        for (int step = 0; step < 3000; step++) {
            // Waves, so that the ring grows with its first entry anywhere, and is emptied.
            boolean grows = step / 100 % 2 == 0;
            if (model.isEmpty() || random.nextInt(10) < (grows ? 6 : 4)) {
                add(new Entry(random.nextInt(5) - 2, random.nextInt(4), random.nextLong(), random.nextLong(), step));
            } else {
                int index = random.nextInt(3) == 0 ? random.nextInt(model.size()) : 0;
                posted.remove(index);
                model.remove(index);
            }
            compare();
            int value = random.nextInt(5) - 2;
            int queuePair = random.nextInt(4);
            int oldest = -1;
            boolean has = false;
            for (int i = model.size() - 1; i >= 0; i--) {
                has |= model.get(i).value() == value;
                oldest = model.get(i).value() == value && model.get(i).queuePair() == queuePair ? i : oldest;
            }
            assertEquals(oldest, posted.find(value, queuePair));
            assertEquals(has, posted.has(value));
        }
    }

    @Test
    void valuesWithTheHighestBit_andLargeQueuePairs_areKeptApart() {
        add(new Entry(0x8000_0001, 0x7fff_ffff, -1, Long.MIN_VALUE, 1));
        add(new Entry(0xffff_ffff, 1, 5, 6, 2));
        compare();
        assertEquals(0, posted.find(0x8000_0001, 0x7fff_ffff));
        assertEquals(-1, posted.find(0x8000_0001, 1));
        assertTrue(posted.has(0xffff_ffff));
        assertFalse(posted.has(1));
    }
}
