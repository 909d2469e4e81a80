package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.iwarp.Reordering.Range;
import io.verbena.iwarp.startup.RtrKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments in any order: the same completions at the same stream positions, and the same bytes. */
public class OutOfOrderTest {

    private static int segments(Scenes scene) {
        return scene == Scenes.ALL ? 5 : 4;
    }

    static Stream<Arguments> scenesAndFramings() {
        return Stream.of(Scenes.values())
                .flatMap(scene -> Stream.of(true, false).map(markers -> Arguments.of(scene, markers)));
    }

    @ParameterizedTest
    @MethodSource("scenesAndFramings")
    void fpduAlignedSegments_inEveryOrder_areDeliveredInOrder(Scenes scene, boolean markers) {
        // RFC 5041 sections 5.3 [2, 3] and 5.4 [1, 2, 3, 4]: placed in any order, delivered in one, once.
        Reordering r = scene.reordering(markers, 800, RtrKind.WRITE);
        for (int leg = 0; leg < r.legs(); leg++) {
            List<Long> ends = r.ends(leg);
            List<Long> cuts = new ArrayList<>();
            int segments = segments(scene);
            for (int i = 1; i < segments; i++) {
                cuts.add(ends.get(i * ends.size() / segments));
            }
            everyOrder(r, leg, cuts);
        }
    }

    @ParameterizedTest
    @MethodSource("scenesAndFramings")
    void tornSegments_inEveryOrder_areDeliveredInOrder(Scenes scene, boolean markers) {
        // RFC 5044 section A.4 [1]: that FPDUs agree with segments is nothing to rely on.
        Reordering r = scene.reordering(markers, 300, RtrKind.SEND);
        SplittableRandom random = new SplittableRandom(7);
        for (int leg = 0; leg < r.legs(); leg++) {
            List<Long> cuts = new ArrayList<>();
            for (int i = 1; i < segments(scene); i++) {
                cuts.add(r.base(leg) + random.nextInt(r.bytes(leg)));
            }
            everyOrder(r, leg, cuts);
        }
    }

    private static void everyOrder(Reordering r, int leg, List<Long> cuts) {
        List<Range> segments = Reordering.cut(r.base(leg), r.base(leg) + r.bytes(leg), cuts);
        for (List<Range> order : Reordering.permutations(segments)) {
            r.run(leg, order);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void randomSegments_withDuplicatesAndOverlaps_areDeliveredInOrder(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RtrKind rtr = RtrKind.values()[seed % RtrKind.values().length];
        Reordering r = Scenes.ALL.reordering(seed % 2 == 0, 128 + random.nextInt(900), rtr);
        for (int run = 0; run < 60; run++) {
            r.run((leg, whole) -> randomOrder(random, whole.getFirst()));
        }
    }

    public static List<Range> randomOrder(SplittableRandom random, Range whole) {
        int bytes = (int) (whole.to() - whole.from());
        List<Long> cuts = new ArrayList<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            cuts.add(whole.from() + random.nextInt(bytes));
        }
        List<Range> order = new ArrayList<>(Reordering.cut(whole.from(), whole.to(), cuts));
        for (int i = random.nextInt(4); i > 0; i--) {
            long from = whole.from() + random.nextInt(bytes);
            order.add(new Range(from, from + 1 + random.nextInt((int) (whole.to() - from))));
        }
        for (int i = order.size() - 1; i > 0; i--) {
            Range other = order.set(random.nextInt(i + 1), order.get(i));
            order.set(i, other);
        }
        return order;
    }

    @Test
    void fpdusWithMarkers_allButTheFirstEarly_areTakenAtOnce() {
        // RFC 5044 section 6 [2, 4]: after a hole a marker shows where an FPDU begins.
        Reordering r = Scenes.SENDS.reordering(true, 1000, RtrKind.WRITE);
        List<Range> segments = Reordering.cut(0, r.bytes(0), r.ends(0));
        r.run(0, segments.reversed());
        // The first FPDU is the RTR frame and the first segment. An FPDU without a marker is found from the next one.
        assertEquals(0, r.refused());
    }

    @Test
    void fpdusWithoutMarkers_behindTheOneUnderWay_areTakenAtOnce() {
        Reordering r = Scenes.SENDS.reordering(false, 1000, RtrKind.WRITE);
        long first = r.ends(0).getFirst();
        List<Long> cuts = new ArrayList<>(r.ends(0));
        cuts.add(first + 20);
        List<Range> segments = new ArrayList<>(Reordering.cut(0, r.bytes(0), cuts));
        // The head of an FPDU in order, then what follows its end, then its end.
        segments.add(segments.remove(2));
        r.run(0, segments);
        assertEquals(0, r.refused());
        // Without even a head nothing is known.
        r.run(0, Reordering.cut(0, r.bytes(0), r.ends(0)).reversed());
        assertTrue(r.refused() > 0);
    }
}
