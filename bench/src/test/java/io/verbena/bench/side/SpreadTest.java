package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void oddCount_medianIsTheMiddleOne() {
        assertEquals(new Spread(3, 1, 9), Spread.of(new double[] {9, 1, 3}));
    }

    @Test
    void evenCount_medianIsTheMeanOfTheMiddleTwo() {
        assertEquals(new Spread(2.5, 1, 9), Spread.of(new double[] {9, 1, 3, 2}));
    }

    @Test
    void ratios_areOfPairsNotOfMedians() {
        assertEquals(new Spread(2, 0.5, 3), Spread.ofRatios(new double[] {2, 4, 9}, new double[] {4, 2, 3}));
    }

    @Test
    void ratios_unpairedRest_isIgnored() {
        assertEquals(new Spread(2, 2, 2), Spread.ofRatios(new double[] {4, 5}, new double[] {2}));
    }

    @Test
    void nothing_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Spread.of(new double[0]));
    }
}
