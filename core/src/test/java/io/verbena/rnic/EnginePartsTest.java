package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The small parts that an engine is made of. */
class EnginePartsTest {

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static final class Marker extends Endpoint {
        @Override
        void service(long nowNs) {}

        @Override
        void onDeadline(long nowNs) {}

        @Override
        void abort(String sentence, long nowNs) {}

        @Override
        void disconnect(long nowNs) {}

        @Override
        void onBug(String sentence, long nowNs) {}

        @Override
        long stateDigest() {
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
        // Near the wrap of the clock: times are compared by difference.
        long base = Long.MAX_VALUE - 500;
        for (int i = 0; i < 20_000; i++) {
            Marker marker = markers.get(random.nextInt(markers.size()));
            long time = base + random.nextInt(1000);
            deadlines.set(marker, random.nextInt(4) == 0 || time == Endpoint.NEVER ? Endpoint.NEVER : time);
            long earliest = Endpoint.NEVER;
            int count = 0;
            for (Marker each : markers) {
                if (each.deadlineNs != Endpoint.NEVER) {
                    count++;
                    if (count == 1 || each.deadlineNs - base < earliest - base) {
                        earliest = each.deadlineNs;
                    }
                }
            }
            assertEquals(count, deadlines.size());
            assertEquals(earliest, deadlines.next());
            if (count > 0) {
                assertEquals(earliest, deadlines.first().deadlineNs);
                assertTrue(deadlines.due(earliest));
                assertTrue(!deadlines.due(earliest - 1));
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
    void numbers_manyAddedAndRemoved_areFound() {
        Pair.Side side = new Pair(world).a;
        List<SoftQueuePair> kept = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            SoftQueuePair made = (SoftQueuePair) side.domain.createQueuePair(side.cq);
            assertTrue(made.number() > 1 && made.number() < 1 << 24);
            if (i % 3 == 0) {
                kept.add(made);
            } else {
                side.rnic.queuePairClosed(made);
                assertTrue(side.rnic.queuePairs().find(made.number()).isEmpty());
            }
        }
        for (SoftQueuePair each : kept) {
            assertSame(each, side.rnic.queuePairs().lookUp(each.number()));
        }
        assertEquals(kept.size() + 1, side.rnic.queuePairs().size());
    }

    @Test
    void endpointThrows_onlyItsConnectionEnds() throws IOException {
        Pair pair = new Pair(world).connect();
        RnicEngine engine = pair.a.rnic.engine(0);
        List<String> bugs = new ArrayList<>();
        Endpoint bad = new Endpoint() {
            @Override
            void service(long nowNs) {
                throw new IllegalArgumentException("a bug, as this test wants");
            }

            @Override
            void onDeadline(long nowNs) {}

            @Override
            void abort(String sentence, long nowNs) {}

            @Override
            void disconnect(long nowNs) {}

            @Override
            void onBug(String sentence, long nowNs) {
                bugs.add(sentence);
                engine.leave(this);
            }

            @Override
            long stateDigest() {
                return 0;
            }
        };
        engine.join(bad);
        engine.ready(bad);
        pair.a.queuePair.postReceive(1, pair.a.memory, 0, 8);
        pair.b.queuePair.postSend(1, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(1, bugs.size());
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }
}
