package io.verbena.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Delays of events by moderation. */
class ModeratorTest {

    private static final long PERIOD_NS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 9})
    void firstEntries_oneOrSeveral_startThePeriod(long entries) {
        Moderator moderator = new Moderator(10, PERIOD_NS, false);
        assertFalse(moderator.holding());
        assertTrue(moderator.holds(entries, 50));
        assertTrue(moderator.holding());
        assertEquals(1_050, moderator.deadlineNs());
        // Later ones do not make it longer.
        moderator.holds(0, 500);
        assertEquals(1_050, moderator.deadlineNs());
        assertFalse(moderator.holds(0, 1_050));
        assertFalse(moderator.holding());
    }

    @Test
    void count_reached_isSignalledAndTheNextStartsAgain() {
        Moderator moderator = new Moderator(4, PERIOD_NS, false);
        assertTrue(moderator.holds(3, 0));
        assertFalse(moderator.holds(1, 10));
        assertTrue(moderator.holds(3, 20));
        assertEquals(1_020, moderator.deadlineNs());
        assertFalse(moderator.holds(5, 30));
        assertFalse(moderator.holds(4, 40));
    }

    @Test
    void periodIsOver_oneNanosecondBefore_isStillHeld() {
        Moderator moderator = new Moderator(100, PERIOD_NS, false);
        long[] clockNs = {Long.MAX_VALUE - 10}; // its number wraps around meanwhile
        assertTrue(moderator.holds(1, clockNs[0]));
        assertTrue(moderator.holds(1, clockNs[0] + 999));
        assertFalse(moderator.holds(1, clockNs[0] + 1_000));
    }

    @Test
    void signalled_otherwise_nothingIsHeld() {
        Moderator moderator = new Moderator(100, PERIOD_NS, false);
        assertTrue(moderator.holds(1, 0));
        moderator.signalled();
        assertFalse(moderator.holding());
        assertTrue(moderator.holds(1, 600));
        assertEquals(1_600, moderator.deadlineNs());
    }

    @Test
    void moreEntriesThanANumberHolds_areNotForgotten() {
        Moderator moderator = new Moderator(Integer.MAX_VALUE, PERIOD_NS, false);
        assertTrue(moderator.holds(Integer.MAX_VALUE - 1, 0));
        assertFalse(moderator.holds(Long.MAX_VALUE / 2, 1));
    }

    @Test
    void adaptive_rateOfEntries_decidesTheNumber() {
        Moderator moderator = new Moderator(16, PERIOD_NS, true);
        long nowNs = 0;
        moderator.observe(1, nowNs);
        // Initially one entry per period is expected, and reported at once.
        assertEquals(1, moderator.count());
        for (int i = 0; i < 200; i++) {
            nowNs += 100;
            moderator.observe(1, nowNs);
        }
        assertTrue(moderator.count() >= 9 && moderator.count() <= 10, () -> "count " + moderator.count());
        for (int i = 0; i < 200; i++) {
            nowNs += 100;
            moderator.observe(10, nowNs);
        }
        assertEquals(16, moderator.count());
        for (int i = 0; i < 200; i++) {
            nowNs += 5_000;
            moderator.observe(1, nowNs);
        }
        assertEquals(1, moderator.count());
    }

    @Test
    void fixed_observations_changeNothing() {
        Moderator moderator = new Moderator(7, PERIOD_NS, false);
        moderator.observe(1, 0);
        moderator.observe(1_000, 1);
        assertEquals(7, moderator.count());
    }
}
