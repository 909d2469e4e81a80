package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GoalTest {

    @Test
    void atLeast_theBoundItself_isEnough() {
        assertTrue(Goal.atLeast(1.3).reached(1.3));
        assertFalse(Goal.atLeast(1.3).reached(1.29));
        assertEquals("≥ 1.30", Goal.atLeast(1.3).print());
    }

    @Test
    void atMost_theBoundItself_isEnough() {
        assertTrue(Goal.atMost(1.15).reached(1.15));
        assertFalse(Goal.atMost(1.15).reached(1.16));
        assertEquals("≤ 1.15", Goal.atMost(1.15).print());
    }

    @Test
    void none_isAlwaysReached() {
        assertTrue(Goal.NONE.reached(0));
        assertEquals("", Goal.NONE.print());
    }
}
