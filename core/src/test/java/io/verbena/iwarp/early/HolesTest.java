package io.verbena.iwarp.early;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The list of holes, beside a set of the bytes that have arrived. */
class HolesTest {

    private static final int BYTES = 400;
    private static final int SEEDS = 200;

    private final Holes holes = new Holes();

    private void arrive(long next, long from, long to) {
        if (holes.splits(from, to) && holes.count() == holes.capacity()) {
            holes.grow();
        }
        holes.cover(next, from, to);
    }

    private List<String> ranges() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < holes.count(); i++) {
            Hole h = holes.hole(i);
            all.add(h.from() + "-" + h.to() + " " + h.sends());
        }
        return all;
    }

    @Test
    void empty_hasNoHole() {
        assertTrue(holes.isEmpty());
        assertEquals(77, holes.firstMissing(77));
    }

    @Test
    void bytesInTheMiddle_splitTheHole_andTheCountsStayWithTheLaterOne() {
        arrive(0, 100, 200);
        holes.before(100).sends = 3;
        arrive(0, 40, 60);
        assertEquals(List.of("0-40 0", "60-100 3"), ranges());
        assertSame(holes.hole(0), holes.before(40));
        assertSame(holes.hole(1), holes.before(199));
    }

    @Test
    void bytesAtAnEdge_makeTheHoleShorter_andBelongToTheHoleBeforeThem() {
        arrive(0, 100, 200);
        arrive(0, 300, 400);
        arrive(0, 200, 220);
        arrive(0, 280, 300);
        assertEquals(List.of("0-100 0", "220-280 0"), ranges());
        assertSame(holes.hole(0), holes.before(219));
        assertSame(holes.hole(1), holes.before(280));
    }

    @Test
    void laterHoleIsFilled_itsCountsMergeIntoTheHoleBeforeIt() {
        arrive(0, 100, 200);
        arrive(0, 300, 400);
        holes.before(100).sends = 2;
        holes.before(300).sends = 5;
        arrive(0, 200, 300);
        assertEquals(List.of("0-100 7"), ranges());
        assertEquals(400, holes.firstMissing(100));
    }

    @Test
    void digest_tellsTheHoles() {
        arrive(0, 100, 200);
        long one = holes.stateDigest(1);
        arrive(0, 300, 400);
        assertNotEquals(one, holes.stateDigest(1));
    }

    @Tag(Seeds.TAG)
    @Test
    void randomBytes_inAnyOrder_areAsASetOfBytes() {
        Seeds.each(SEEDS, HolesTest::run);
    }

    /** Each byte that arrives counts as a Send. */
    private static void run(long seed) {
        String replay = "seed " + seed;
        HolesTest t = new HolesTest();
        SplittableRandom random = new SplittableRandom(seed);
        BitSet arrived = new BitSet();
        int next = 0;
        for (int step = 0; step < 300 && next < BYTES; step++) {
            int from = arrived.nextClearBit(next + 1 + random.nextInt(BYTES));
            int to = from + 1 + random.nextInt(20);
            for (int at = from; at < to; at++) {
                to = arrived.get(at) ? at : to;
            }
            if (random.nextInt(4) > 0) {
                t.arrive(next, from, to);
                t.holes.before(from).sends += to - from;
                arrived.set(from, to);
            } else {
                // In order, up to the end of the first hole at most.
                int end = arrived.nextSetBit(next);
                next = end < 0 ? next : Math.min(end, next + random.nextInt(30));
                if (next == end) {
                    next = arrived.nextClearBit(next);
                    t.holes.deliveredTo(next);
                }
            }
            t.same(replay, arrived, next);
        }
    }

    private void same(String replay, BitSet arrived, int next) {
        int at = next;
        for (int i = 0; i < holes.count(); i++) {
            Hole h = holes.hole(i);
            int begin = arrived.nextSetBit(at);
            assertEquals(i == 0 ? h.from() : at, h.from(), replay);
            assertEquals(begin, h.to(), replay);
            assertEquals(at, holes.firstMissing(at), replay);
            assertEquals(begin, holes.nextEarly(at, Long.MAX_VALUE), replay);
            at = arrived.nextClearBit(begin);
            assertEquals(at, holes.firstMissing(begin), replay);
            assertEquals(at - begin, h.sends(), replay);
        }
        assertEquals(-1, arrived.nextSetBit(at), replay);
    }
}
