package io.verbena.fabric.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaneArbiterTest {

    @Test
    void lowTable_allLanesReady_shareByWeight() {
        LaneArbiter arbiter = new LaneArbiter(new LaneTables(
                List.of(), List.of(new LaneTables.Weight(0, 3), new LaneTables.Weight(2, 1)), 255, List.of()));
        assertEquals("0002000200", lanes(arbiter, 0b101, 10));
        assertEquals("2222", lanes(arbiter, 0b100, 4));
    }

    @Test
    void highTable_withLimit_lowLanesGetATurnAfterEachRow() {
        LaneArbiter arbiter = new LaneArbiter(new LaneTables(
                List.of(new LaneTables.Weight(1, 255)), List.of(new LaneTables.Weight(0, 1)), 3, List.of()));
        assertEquals("11101110", lanes(arbiter, 0b11, 8));
        assertEquals("0000", lanes(arbiter, 0b01, 4));
    }

    @Test
    void laneOfNoTable_othersIdle_isServed() {
        LaneArbiter arbiter =
                new LaneArbiter(new LaneTables(List.of(new LaneTables.Weight(1, 1)), List.of(), 255, List.of()));
        assertEquals("11", lanes(arbiter, 0b1010, 2));
        assertEquals("33", lanes(arbiter, 0b1000, 2));
    }

    @Test
    void f5_isochronousLane_inEachPeriod_sendsFirstAndNoMore() {
        LaneArbiter arbiter = new LaneArbiter(new LaneTables(
                List.of(), List.of(new LaneTables.Weight(0, 1)), 255, List.of(new LaneTables.Isochronous(3, 2, 10))));
        assertEquals(3, arbiter.pick(0b1001, 100));
        assertEquals(3, arbiter.pick(0b1001, 101));
        assertEquals(0, arbiter.pick(0b1001, 102));
        assertEquals(LaneArbiter.NONE, arbiter.pick(0b1000, 103));
        assertEquals(110, arbiter.nextPeriod());
        assertEquals(3, arbiter.pick(0b1001, 110));
    }

    private static String lanes(LaneArbiter arbiter, int ready, int count) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < count; i++) {
            result.append(arbiter.pick(ready, i));
        }
        return result.toString();
    }
}
