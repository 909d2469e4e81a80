package io.verbena.tools.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SharedTimeTest {

    private static final long S = 1_000_000_000L;

    @Test
    void idleMachine_countsAllTime() {
        SharedTime time = new SharedTime(20 * S, -5 * S);
        assertFalse(time.over(14 * S, 1));
        assertTrue(time.over(15 * S, 1));
    }

    @Test
    void tenThreadsPerProcessor_aTenthCounts() {
        SharedTime time = new SharedTime(20 * S, 0);
        assertFalse(time.over(190 * S, 0.1));
        assertTrue(time.over(191 * S, 1));
    }

    @Test
    void starvedForLong_endsAtTwelveTimesTheLimit() {
        SharedTime time = new SharedTime(20 * S, 0);
        assertFalse(time.over(239 * S, 0.001));
        assertTrue(time.over(240 * S, 0.001));
    }

    @Test
    void share_isThatOfThreadsThatAreReady() {
        assertEquals(0.02, SharedTime.share("98.66 70.1 44.2 100/1842 12345\n", 2), 1e-9);
        assertEquals(1, SharedTime.share("0.1 0.2 0.3 1/1842 12345\n", 2));
        assertEquals(1, SharedTime.share("0.1 0.2 0.3 2/1842 12345\n", 2));
        assertEquals(1, SharedTime.share("what", 2));
        assertEquals(1, SharedTime.share("0.1 0.2 0.3 x/y 5", 2));
    }

    @Test
    void share_ofThisMachine_isPartOfAProcessor() {
        double share = SharedTime.share();
        assertTrue(share > 0 && share <= 1, share + "");
    }
}
