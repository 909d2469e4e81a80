package io.verbena.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WantedProcessorsTest {

    private int wanting;
    private int counts;
    private final WantedProcessors wanted = new WantedProcessors(this::count, 2);

    private int count() {
        counts++;
        return wanting;
    }

    @Test
    void moreThreadsThanProcessors_areScarce_untilTheNextCount() {
        wanting = 3;
        long nowNs = System.nanoTime();
        assertTrue(wanted.scarce(nowNs));
        wanting = 2;
        assertTrue(wanted.scarce(nowNs + WantedProcessors.COUNT_NS - 1));
        assertEquals(1, counts);
        assertFalse(wanted.scarce(nowNs + WantedProcessors.COUNT_NS));
        assertEquals(2, counts);
    }

    @Test
    void spinningThread_countsAgain_andOnlyForItself() {
        wanting = 2;
        long nowNs = System.nanoTime();
        assertFalse(wanted.scarce(nowNs));
        assertFalse(wanted.scarceForSpinning(nowNs));
        wanting = 3;
        assertFalse(wanted.scarceForSpinning(nowNs + WantedProcessors.SPIN_COUNT_NS - 1));
        assertTrue(wanted.scarceForSpinning(nowNs + WantedProcessors.SPIN_COUNT_NS));
        assertFalse(wanted.scarce(nowNs + WantedProcessors.SPIN_COUNT_NS + 1));
    }

    private static int parse(String line) {
        byte[] text = line.getBytes(StandardCharsets.US_ASCII);
        return RunnableThreads.parse(text, text.length);
    }

    @Test
    void count_isTheFieldAfterTheAverages() {
        assertEquals(3, parse("0.20 0.18 0.12 3/80 11206\n"));
        assertEquals(24, parse("0.20 0.18 0.12 24"));
        assertEquals(0, parse("0.20 0.18"));
        assertEquals(0, parse(""));
        assertEquals(0, RunnableThreads.parse(new byte[0], -1));
        assertEquals(0, parse("0.20 0.18 0.12 x/80 11206"));
        assertTrue(RunnableThreads.count() >= 0);
        assertTrue(RunnableThreads.count() >= 0, "the file is read again");
    }
}
