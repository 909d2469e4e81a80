package io.verbena.ib.paths;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The four quadrants of marks and delays, losses, and paths that are used again. Times are in microseconds. */
class CongestionTest {

    private static final long US = 1_000;
    private static final long BASE_US = 400;

    /** Half of the shortest round trip. */
    private static final long TARGET_US = 200;

    private static final int MOST = 100;

    private final Congestion congestion = Congestion.of(MOST);
    private long nowUs = 10_000;
    private int order;

    /** A whole window is answered with a delay, within a round trip. */
    private void window(long delayUs, boolean marked) {
        int packets = congestion.windowPackets();
        for (int i = 0; i < packets; i++) {
            congestion.measured(delayUs * US, BASE_US * US);
            congestion.answered(i % 4, marked, order++);
        }
        nowUs += BASE_US + delayUs;
        congestion.apply(packets, order, nowUs * US);
    }

    /** A window that has shrunk to a part of the largest one. */
    private void shrunk() {
        for (int i = 0; i < 3; i++) {
            window(4 * TARGET_US, true);
        }
        // The delays of that time are forgotten.
        for (int i = 0; i < 8; i++) {
            congestion.measured(0, BASE_US * US);
        }
    }

    @Test
    void noMark_noDelay_growsByAQuarterAfterAWholeWindow() {
        shrunk();
        int before = congestion.windowPackets();
        window(0, false);
        window(0, false);
        assertTrue(congestion.windowPackets() >= before * 5 / 4, () -> before + ", " + congestion.windowPackets());
        for (int i = 0; i < 20; i++) {
            window(0, false);
        }
        assertEquals(MOST, congestion.windowPackets());
    }

    @Test
    void noMark_delayBelowTheTarget_growsByItsDistance() {
        shrunk();
        int before = congestion.windowPackets();
        window(TARGET_US / 2, false);
        assertEquals(before + 2, congestion.windowPackets());
        for (int i = 0; i < 4; i++) {
            window(TARGET_US * 3 / 4, false);
        }
        assertEquals(before + 6, congestion.windowPackets(), 1);
    }

    @Test
    void noMark_delayAtTheTarget_growsByAPacketPerRoundTrip() {
        shrunk();
        int before = congestion.windowPackets();
        window(TARGET_US, false);
        window(10 * TARGET_US, false);
        assertEquals(before + 2, congestion.windowPackets(), 1);
    }

    @Test
    void mark_delayBelowTheTarget_changesNothing() {
        window(TARGET_US - 1, true);
        window(0, true);
        assertEquals(MOST, congestion.windowPackets());
    }

    @Test
    void mark_longDelay_shrinksOncePerRoundTrip() {
        window(2 * TARGET_US, true);
        assertEquals(60, congestion.windowPackets(), "by 0.8 of the half that is above the target");
        congestion.measured(2 * TARGET_US * US, BASE_US * US);
        congestion.answered(0, true, order++);
        congestion.apply(60, order, (nowUs + 1) * US);
        assertEquals(60, congestion.windowPackets());
        window(100 * TARGET_US, true);
        assertEquals(30, congestion.windowPackets(), "by half at most");
        for (int i = 0; i < 50; i++) {
            window(100 * TARGET_US, true);
        }
        assertEquals(1, congestion.windowPackets());
    }

    @Test
    void fewLatePathsOfMany_doNotShrinkTheWindow() {
        for (int i = 0; i < 800; i++) {
            // Three of eight paths are congested, and the answer of one of them is the last.
            boolean late = i % 8 > 4;
            congestion.measured((late ? 100 * TARGET_US : 10) * US, BASE_US * US);
            congestion.answered(i % 8, late, order++);
            congestion.apply(MOST, order, (nowUs += BASE_US) * US);
        }
        assertEquals(MOST, congestion.windowPackets());
    }

    @Test
    void lossWithoutDelay_takesAPacketFromTheWindow() {
        window(0, false);
        congestion.lost(false);
        assertEquals(MOST - 1, congestion.windowPackets());
    }

    @Test
    void trim_windowBecomesWhatWasAnswered_andEarlierMarksDoNotCount() {
        window(0, false);
        int sentBefore = order;
        order += 50;
        congestion.lost(true);
        for (int i = 0; i < 20; i++) {
            congestion.measured(2 * TARGET_US * US, BASE_US * US);
            congestion.answered(0, false, sentBefore + i);
        }
        nowUs += BASE_US + 10 * TARGET_US;
        congestion.apply(70, order, nowUs * US);
        assertEquals(20, congestion.windowPackets());
        congestion.answered(0, true, sentBefore + 30);
        congestion.answered(0, false, order);
        congestion.apply(20, order, (nowUs += 10 * BASE_US) * US);
        assertTrue(congestion.windowPackets() >= 20, "a mark of the time before");
        congestion.answered(0, true, order);
        congestion.apply(20, order, (nowUs += 10 * BASE_US) * US);
        assertTrue(congestion.windowPackets() < 20, "a mark of the time after");
    }

    @Test
    void windowThatIsNotUsed_doesNotGrow() {
        shrunk();
        int before = congestion.windowPackets();
        for (int i = 0; i < 100; i++) {
            congestion.measured(0, BASE_US * US);
            congestion.answered(0, false, order++);
            congestion.apply(0, order, (nowUs += BASE_US) * US);
        }
        assertEquals(before, congestion.windowPackets());
    }

    @Test
    void admits_theWindow_andAlwaysOneRequest() {
        Map.of(0, 1, 1, 0, 98, 2, 99, 1).forEach((flying, more) -> assertTrue(congestion.admits(flying, more)));
        assertFalse(congestion.admits(99, 2));
        assertTrue(congestion.admits(0, 500), "a Read with a longer answer");
        congestion.timedOut();
        assertEquals(MOST / 2, congestion.windowPackets());
        for (int i = 0; i < 200; i++) {
            congestion.lost(true);
            congestion.timedOut();
        }
        assertTrue(congestion.admits(0, 1));
        assertFalse(congestion.admits(1, 1));
    }

    @Test
    void cleanPaths_areNamedOnce_theOldestFirst_atMostEight() {
        assertEquals(Congestion.NO_PATH, congestion.takeClean());
        for (int i = 0; i < 10; i++) {
            congestion.answered(i, i == 4, order++);
        }
        StringBuilder named = new StringBuilder();
        for (int path = congestion.takeClean(); path >= 0; path = congestion.takeClean()) {
            named.append(path);
        }
        assertEquals("12356789", named.toString());
    }

    @Test
    void withoutCongestionControl_nothingIsLimited() {
        Congestion off = Congestion.off();
        off.lost(true);
        off.timedOut();
        off.answered(1, false, 0);
        off.apply(10, 1, 0);
        assertTrue(off.admits(1_000_000, 64));
        assertEquals(Congestion.NO_PATH, off.takeClean());
    }
}
