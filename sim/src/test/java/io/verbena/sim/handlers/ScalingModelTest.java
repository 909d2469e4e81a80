package io.verbena.sim.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Results that can be computed by hand. */
class ScalingModelTest {

    private static final ProcessorCosts COSTS = new ProcessorCosts(200, 800, 300, 100, 7);

    @Test
    void oneHandler_moreProcessors_doNotHelp() {
        for (int processors : new int[] {1, 2, 64}) {
            assertEquals(1e6, ScalingModel.eventsPerSecond(COSTS, Routing.ONE_HANDLER, processors), 1e3);
        }
    }

    @Test
    void bound_throughputGrowsWithTheProcessors() {
        for (int processors : new int[] {1, 2, 8, 64}) {
            double wanted = processors * 1e6;
            assertEquals(wanted, ScalingModel.eventsPerSecond(COSTS, Routing.BOUND, processors), wanted / 100);
        }
    }

    @Test
    void wandering_everyEventFetchesItsLines() {
        assertEquals(1e6, ScalingModel.eventsPerSecond(COSTS, Routing.WANDERING, 1), 1e3);
        for (int processors : new int[] {2, 8}) {
            double wanted = processors * 0.5e6;
            double found = ScalingModel.eventsPerSecond(COSTS, Routing.WANDERING, processors);
            assertTrue(found <= wanted * 1.01 && found > wanted * 0.9, found + " of " + wanted);
        }
    }

    @Test
    void costs_withoutTime_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new ProcessorCosts(0, 0, 1, 1, 1));
    }
}
