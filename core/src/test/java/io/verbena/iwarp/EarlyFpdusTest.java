package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of early FPDUs, beside a sorted map. */
class EarlyFpdusTest {

    private static MemorySegment ulpdu(long position) {
        byte[] bytes = new byte[200];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (position * 7 + i);
        }
        return MemorySegment.ofArray(bytes);
    }

    @Test
    void empty_holdsNothing() {
        EarlyFpdus early = new EarlyFpdus();
        assertTrue(early.isEmpty());
        assertEquals(-1, early.holding(0));
        assertEquals(77, early.firstMissing(77));
        assertEquals(0, early.firstFrom(0));
    }

    @Test
    void recordsThatTouch_arePassedOverTogether() {
        EarlyFpdus early = new EarlyFpdus();
        early.add(200, 50, ulpdu(200), 3, 40);
        early.add(100, 60, ulpdu(100), 3, 40);
        early.add(160, 40, ulpdu(160), 3, 30);
        assertEquals(99, early.firstMissing(99));
        assertEquals(250, early.firstMissing(100));
        assertEquals(250, early.firstMissing(199));
        assertEquals(250, early.firstMissing(250));
        assertEquals(1, early.holding(160));
        assertEquals(0, early.holding(159));
        assertEquals(-1, early.holding(250));
    }

    @Test
    void digest_tellsWhatIsKept_andNotWhereItIs() {
        EarlyFpdus one = new EarlyFpdus();
        EarlyFpdus two = new EarlyFpdus();
        one.add(100, 20, ulpdu(1), 0, 12);
        one.add(200, 20, ulpdu(2), 0, 12);
        two.add(200, 20, ulpdu(2), 0, 12);
        two.add(100, 20, ulpdu(1), 0, 12);
        assertEquals(one.stateDigest(1), two.stateDigest(1));
        EarlyFpdus other = new EarlyFpdus();
        other.add(100, 20, ulpdu(1), 0, 12);
        other.add(200, 20, ulpdu(3), 0, 12);
        assertNotEquals(one.stateDigest(1), other.stateDigest(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void randomUse_isAsASortedMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        EarlyFpdus early = new EarlyFpdus();
        TreeMap<Long, Integer> model = new TreeMap<>();
        for (int step = 0; step < 3000; step++) {
            long position = random.nextInt(300) * 4L;
            int length = 4 * (1 + random.nextInt(8));
            boolean free = early.holding(position) < 0
                    && (model.ceilingKey(position) == null || model.ceilingKey(position) >= position + length);
            if (free && !early.isFull() && random.nextInt(3) > 0) {
                early.add(position, length, ulpdu(position), 5, length);
                model.put(position, length);
            } else if (!model.isEmpty()) {
                early.removeFirst();
                model.pollFirstEntry();
            }
            same(model, early);
        }
    }

    private static void same(TreeMap<Long, Integer> model, EarlyFpdus early) {
        assertEquals(model.size(), early.count());
        int i = 0;
        for (Map.Entry<Long, Integer> record : model.entrySet()) {
            assertEquals(record.getKey(), early.position(i));
            assertEquals(record.getValue(), early.wireLength(i));
            assertEquals(
                    ulpdu(record.getKey()).get(ValueLayout.JAVA_BYTE, 5),
                    early.kept().get(ValueLayout.JAVA_BYTE, early.keptAt(i)));
            i++;
        }
    }
}
