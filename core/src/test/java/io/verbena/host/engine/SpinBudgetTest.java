package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.host.system.RunDelay;
import org.junit.jupiter.api.Test;

/** The time to spin follows the length of the parks. */
class SpinBudgetTest {

    private final SpinBudget budget = new SpinBudget();

    private long spinNs() {
        // Later than the end of any pause that other threads of this JVM have caused by computing.
        return budget.spinNs(System.nanoTime() + 10_000_000_000L);
    }

    private static long expected(long spinNs) {
        return Runtime.getRuntime().availableProcessors() == 1 ? 0 : spinNs;
    }

    @Test
    void shortParks_spinningIsDoubledUpToItsMaximum() {
        assertEquals(expected(20_000), spinNs());
        budget.onParked(SpinBudget.MOST_NS - 1);
        assertEquals(expected(40_000), spinNs());
        budget.onParked(1);
        assertEquals(expected(SpinBudget.MOST_NS), spinNs());
        budget.onParked(1);
        assertEquals(expected(SpinBudget.MOST_NS), spinNs());
    }

    @Test
    void longParks_spinningIsHalvedDownToItsMinimum() {
        budget.onParked(4 * SpinBudget.MOST_NS + 1);
        assertEquals(expected(10_000), spinNs());
        for (int i = 0; i < 5; i++) {
            budget.onParked(Long.MAX_VALUE);
        }
        assertEquals(expected(SpinBudget.LEAST_NS), spinNs());
    }

    @Test
    void parksOfMediumLength_changeNothing() {
        budget.onParked(SpinBudget.MOST_NS);
        budget.onParked(4 * SpinBudget.MOST_NS);
        assertEquals(expected(20_000), spinNs());
    }

    /** A thread that has had no processor for this part of the time, in percent. */
    private static final class Crowd {
        long delayNs;
        final SpinBudget budget = new SpinBudget(() -> delayNs);
        long nowNs = System.nanoTime() + 1_000_000; // after the first look of the budget, however long that has taken

        long spinNs(int percent) {
            long passedNs = 2_000_000;
            nowNs += passedNs;
            delayNs += passedNs * percent / 100;
            return budget.spinNs(nowNs);
        }
    }

    @Test
    void crowdedMachine_spinIsAsShortAsParking_andEndsInTwoMilliseconds() {
        Crowd crowd = new Crowd();
        assertEquals(expected(20_000), crowd.spinNs(0));
        assertEquals(expected(SpinBudget.CROWDED_NS), crowd.spinNs(13));
        assertEquals(expected(20_000), crowd.spinNs(12));
    }

    @Test
    void crowdedMachine_spinsInVain_areGivenUpExceptOneInSixteen() {
        Crowd crowd = new Crowd();
        crowd.spinNs(0);
        crowd.spinNs(50);
        int spins = 0;
        for (int i = 0; i < 160; i++) {
            spins += crowd.budget.spinNs(crowd.nowNs) > 0 ? 1 : 0;
            crowd.budget.onParked(100_000);
        }
        assertEquals(expected(10 + 3), spins);
        while (crowd.budget.spinNs(crowd.nowNs) == 0 && expected(1) == 1) {
            crowd.budget.onParked(100_000);
        }
        crowd.budget.onCaught();
        assertEquals(expected(SpinBudget.CROWDED_NS), crowd.budget.spinNs(crowd.nowNs));
    }

    @Test
    void longSleep_isNoCrowd_howeverLongTheProcessorTookToCome() {
        Crowd crowd = new Crowd();
        crowd.spinNs(0);
        crowd.nowNs += 1_000_000_000;
        crowd.delayNs += 3_000_000;
        assertEquals(expected(20_000), crowd.budget.spinNs(crowd.nowNs));
    }

    @Test
    void unknownRunDelay_theYieldsOfTheProcessDecide() {
        SpinBudget unknown = new SpinBudget(() -> RunDelay.UNKNOWN);
        assertEquals(expected(20_000), unknown.spinNs(System.nanoTime() + 10_000_000_000L));
    }
}
