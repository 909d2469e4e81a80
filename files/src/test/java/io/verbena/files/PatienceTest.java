package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The time that a peer has, with explicit time. */
class PatienceTest {

    private static final long S = 1_000_000_000L;

    @Test
    void looksAfterEachSlice_countTheTimeThatPassed() {
        Patience patience = new Patience(S, Long.MAX_VALUE - 100);
        for (int i = 1; i <= 5; i++) {
            assertEquals(S - i * S / 5, patience.leftNs(Long.MAX_VALUE - 100 + i * S / 5));
        }
    }

    @Test
    void processStopped_countsTwoSlices() {
        Patience patience = new Patience(S, 0);
        assertEquals(S * 6 / 10, patience.leftNs(1_000 * S));
        assertEquals(S * 5 / 10, patience.leftNs(1_000 * S + S / 10));
    }
}
