package io.verbena.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Event records are returned once, in order and unchanged. */
class EventRingTest {

    private static final class Entry implements EventRing.Subject {
        private final int number;
        private String said = "";

        Entry(int number) {
            this.number = number;
        }

        @Override
        public void onTaken(int datum, int cause, long signalledNs) {
            said = datum + "/" + cause + "/" + signalledNs;
        }
    }

    @Test
    void records_comeOutInOrder_withWhatTheySaid_roundAndRound() {
        EventRing ring = new EventRing(4);
        for (int round = 0; round < 10; round++) {
            List<Entry> put = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Entry entry = new Entry(i);
                assertTrue(ring.offer(entry, i, -i, round * 1000L + i));
                put.add(entry);
            }
            assertFalse(ring.offer(new Entry(9), 9, 9, 9), "full");
            assertEquals(4, ring.size());
            for (int i = 0; i < 4; i++) {
                assertTrue(ring.ready());
                assertSame(put.get(i), ring.poll());
                assertEquals(i + "/" + -i + "/" + (round * 1000 + i), put.get(i).said);
            }
            assertFalse(ring.ready());
            assertNull(ring.poll());
        }
    }

    @Test
    void manyThreads_putAndTake_eachRecordOnce() throws InterruptedException {
        int each = 100_000;
        EventRing ring = new EventRing(64);
        AtomicIntegerArray seen = new AtomicIntegerArray(2 * each);
        AtomicLong taken = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            int from = t * each;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = from; i < from + each; i++) {
                    Entry entry = new Entry(i);
                    while (!ring.offer(entry, i, i, i)) {
                        Thread.yield();
                    }
                }
            }));
            threads.add(Thread.ofPlatform().start(() -> {
                while (taken.get() < 2L * each) {
                    Entry entry = (Entry) ring.poll();
                    if (entry == null) {
                        Thread.yield();
                        continue;
                    }
                    taken.incrementAndGet();
                    if (entry.said.equals(entry.number + "/" + entry.number + "/" + entry.number)) {
                        seen.incrementAndGet(entry.number);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < 2 * each; i++) {
            assertEquals(1, seen.get(i), "record " + i);
        }
    }

    @Test
    void recordThatIsBeingWritten_holdsBackThoseAfterIt() {
        EventRing ring = new EventRing(4);
        assertEquals(4, ring.capacity());
        Entry slow = new Entry(1);
        long number = ring.claim();
        assertTrue(ring.offer(new Entry(2), 2, 2, 2));
        assertEquals(2, ring.size());
        assertFalse(ring.ready());
        assertNull(ring.poll());
        ring.write(number, slow, 7, 8, 9);
        assertTrue(ring.ready());
        assertSame(slow, ring.poll());
        assertEquals("7/8/9", slow.said);
        assertEquals(1, ring.size());
        assertEquals(2, ((Entry) Objects.requireNonNull(ring.poll())).number);
        assertEquals(0, ring.size());
    }

    @Test
    void ringIsFull_claimSaysSo_untilARecordIsTaken() {
        EventRing ring = new EventRing(2);
        assertTrue(ring.offer(new Entry(1), 1, 1, 1));
        assertTrue(ring.offer(new Entry(2), 2, 2, 2));
        assertEquals(EventRing.FULL, ring.claim());
        ring.poll();
        assertEquals(2, ring.claim());
    }
}
