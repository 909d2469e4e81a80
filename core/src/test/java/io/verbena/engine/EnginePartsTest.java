package io.verbena.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.port.StreamLoop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The small parts that an engine is made of. */
class EnginePartsTest {

    private static final class Marker extends Endpoint {
        @Override
        protected void service(long nowNs) {}

        @Override
        protected void onDeadline(long nowNs) {}

        @Override
        protected void onBug(String sentence, long nowNs) {}

        @Override
        protected long stateDigest() {
            return 0;
        }
    }

    @Test
    void deadlines_anyOrderOfChanges_firstIsTheEarliest() {
        SplittableRandom random = new SplittableRandom(3);
        Deadlines deadlines = new Deadlines();
        List<Marker> markers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            markers.add(new Marker());
        }
        // Near the wrap of the clock; the model counts from its start, so that nothing of it wraps.
        long base = Long.MAX_VALUE - 500;
        int none = 1000;
        int[] model = new int[markers.size()];
        Arrays.fill(model, none);
        for (int i = 0; i < 20_000; i++) {
            int which = random.nextInt(model.length);
            int after = random.nextInt(none);
            model[which] = random.nextInt(4) == 0 || base + after == Endpoint.NEVER ? none : after;
            deadlines.set(markers.get(which), model[which] == none ? Endpoint.NEVER : base + model[which]);
            int earliest = Arrays.stream(model).min().orElseThrow();
            assertEquals(Arrays.stream(model).filter(each -> each < none).count(), deadlines.size());
            assertEquals(earliest == none ? Endpoint.NEVER : base + earliest, deadlines.next());
            for (int now = Math.max(0, earliest - 2); now < Math.min(none, earliest + 2); now++) {
                assertEquals(earliest <= now, deadlines.due(base + now), "due at " + now + " of " + earliest);
            }
            if (earliest < none) {
                assertEquals(earliest, model[markers.indexOf(deadlines.first())]);
            }
        }
    }

    @Test
    void readyRing_addedTwice_isThereOnceInOrder() {
        ReadyRing ring = new ReadyRing();
        Marker first = new Marker();
        Marker second = new Marker();
        ring.add(first);
        ring.add(second);
        ring.add(first);
        assertEquals(2, ring.size());
        assertSame(first, ring.poll());
        ring.add(first);
        assertSame(second, ring.poll());
        assertSame(first, ring.poll());
        assertNull(ring.poll());
        assertEquals(0, ring.size());
    }

    @Test
    void slabPool_givenBack_isLentAgain() {
        SlabPool pool = new SlabPool();
        for (int bytes : new int[] {1, 1024, 1025, 65_536, 70_000, 262_144}) {
            Slab slab = pool.take(bytes);
            assertTrue(slab.capacity() >= bytes && slab.capacity() <= Math.max(1024, bytes * 2 - 1), "" + bytes);
            pool.give(slab);
            assertSame(slab, pool.take(bytes));
        }
        assertEquals(6, pool.lent());
    }

    @Test
    void slabPool_holdsAMebibyteAtMost_andCountsWhatItLends() {
        SlabPool pool = new SlabPool();
        List<Slab> lent = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            lent.add(pool.take(256 * 1024));
        }
        assertEquals(6, pool.lent());
        lent.forEach(pool::give);
        assertEquals(0, pool.lent());
        // Four of 256 KiB are kept, the latest first; a fifth one is new.
        for (int i = 3; i >= 0; i--) {
            assertSame(lent.get(i), pool.take(256 * 1024));
        }
        assertFalse(lent.contains(pool.take(256 * 1024)));
        assertEquals(5, pool.lent());
        // What was lent again makes room for others.
        Slab small = pool.take(1024);
        pool.give(small);
        assertSame(small, pool.take(1024));
    }

    @Test
    void slabPool_largestSlab_isTwoMebibytes() {
        SlabPool pool = new SlabPool();
        assertEquals(2 << 20, pool.take(2 << 20).capacity());
        assertThrows(AssertionError.class, () -> pool.take((2 << 20) + 1));
    }

    @Test
    void readyRing_emptiedAndFilledAgain_keepsTheOrder() {
        ReadyRing ring = new ReadyRing();
        Marker first = new Marker();
        Marker second = new Marker();
        for (int round = 0; round < 3; round++) {
            ring.add(first);
            ring.add(second);
            assertEquals(2, ring.size());
            assertSame(first, ring.poll());
            assertEquals(1, ring.size());
            assertSame(second, ring.poll());
            assertNull(ring.poll());
        }
    }

    @Test
    void deadlines_ofOneThatHasNone_removingChangesNothing() {
        Deadlines deadlines = new Deadlines();
        Marker marker = new Marker();
        deadlines.remove(marker);
        assertEquals(0, deadlines.size());
        assertFalse(deadlines.due(0));
        assertThrows(AssertionError.class, deadlines::first);
        deadlines.set(marker, 5);
        deadlines.set(marker, 5);
        assertEquals(1, deadlines.size());
        deadlines.remove(marker);
        assertEquals(Endpoint.NEVER, deadlines.next());
        deadlines.set(marker, 6);
        assertEquals(6, deadlines.next(), "it can wait again");
    }

    /** An environment that offers no more than it must. */
    private static final class PlainHost implements EngineHost {
        private int wakes;

        @Override
        public long nowNs() {
            return 0;
        }

        @Override
        public RandomSource random() {
            return () -> 4;
        }

        @Override
        public StreamLoop streams(int engine) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wake(int engine) {
            wakes += engine;
        }
    }

    @Test
    void environmentWithoutExtras_nudgeWakes_noThreadIsAlone_andThereAreNoPackets() {
        PlainHost host = new PlainHost();
        host.nudge(7);
        assertEquals(7, host.wakes);
        assertFalse(host.hold(7));
        UnsupportedOperationException e = assertThrows(UnsupportedOperationException.class, () -> host.packets(7));
        assertEquals("This environment has no packet ports.", e.getMessage());
    }

    @Test
    void endpointWithoutExtras_needsItsDoorbell_andHasNothingToFlush() {
        Marker marker = new Marker();
        assertFalse(marker.onOwnDoorbell());
        assertTrue(marker.retryFlush());
        PlainHost host = new PlainHost();
        RnicEngine engine = new RnicEngine(1, host, (which, why) -> {});
        engine.join(marker);
        engine.ring(marker);
        assertEquals(1, host.wakes);
        assertEquals(1, engine.turn(0));
        engine.starve(marker);
        assertEquals(1, engine.turn(0));
    }
}
