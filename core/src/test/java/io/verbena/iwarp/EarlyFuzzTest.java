package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.startup.RtrKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damaged FPDUs with correct checksums, in any order: nothing is thrown, and the reported ranges are within bounds.
 */
class EarlyFuzzTest {

    private static final ValueLayout.OfInt CRC = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void damagedFpdus_anyOrder_endTheStreamOrDoNot(int seed) {
        boolean markers = seed % 2 == 0;
        SplittableRandom random = new SplittableRandom(seed);
        int ended = 0;
        for (int run = 0; run < 100; run++) {
            Reordering.Scene scene = Scenes.ALL.begin(markers, 500, RtrKind.WRITE, UnaryOperator.identity());
            scene.pair().a.transmit(0, 64 * 1024);
            byte[] bytes = scene.pair().a.wire;
            Slab slab = new Slab(bytes.length);
            MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            damage(random, slab, Reordering.fpduEnds(markers, 0, bytes));
            IwarpStream receiver = scene.pair().b.stream;
            for (int step = 0; step < 40; step++) {
                int from = step == 39 ? 0 : random.nextInt(bytes.length);
                int to = step == 39 ? bytes.length : from + 1 + random.nextInt(bytes.length - from);
                give(receiver, slab, from, to);
            }
            assertTrue(receiver.ending().isPresent() || receiver.nextOffset() == bytes.length || insideFpdu(receiver));
            ended += receiver.ending().isPresent() ? 1 : 0;
        }
        assertTrue(ended > 20 && ended < 100, "ended " + ended);
    }

    /** A length that grew makes the receiver wait for more. */
    private static boolean insideFpdu(IwarpStream receiver) {
        receiver.onEndOfStream(0);
        return receiver.ending().filter(e -> e.kind() == Ending.Kind.BAD_CLOSE).isPresent();
    }

    private static void give(IwarpStream receiver, Slab slab, int from, int to) {
        long before = receiver.nextOffset();
        receiver.onSegment(from, slab, from, to, 0);
        assertTrue(from <= receiver.takenFrom() && receiver.takenTo() <= to);
        assertTrue(receiver.takenFrom() <= receiver.takenTo());
        assertTrue(before <= receiver.nextOffset());
        if (from <= before && receiver.ending().isEmpty()) {
            assertEquals(to, receiver.takenTo());
        }
    }

    private static void damage(SplittableRandom random, Slab slab, long[] ends) {
        int fpdu = random.nextInt(ends.length);
        int begin = fpdu == 0 ? 0 : (int) ends[fpdu - 1];
        int sum = (int) ends[fpdu] - 4;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            // Headers more often than payload.
            int at = begin + random.nextInt(random.nextBoolean() ? Math.min(60, sum - begin) : sum - begin);
            slab.segment().set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
        slab.segment().set(CRC, sum, slab.crc32c(begin, sum));
    }
}
