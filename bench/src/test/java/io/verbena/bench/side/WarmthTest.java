package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WarmthTest {

    private final Warmth warmth = new Warmth(new Effort(7, 1, 40, 100));

    @Test
    void steadyFigures_areEnough_afterTheLeastTime() {
        for (int i = 0; i < 4; i++) {
            assertFalse(warmth.enough());
            warmth.add(10, 5);
        }
        assertTrue(warmth.enough());
    }

    @Test
    void unsteadyFigures_areEnough_whenTheTimeIsOver() {
        for (int i = 0; i < 10; i++) {
            assertFalse(warmth.enough());
            warmth.add(10, 5 + i);
        }
        assertTrue(warmth.enough());
    }
}
