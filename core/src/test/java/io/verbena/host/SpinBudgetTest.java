package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
