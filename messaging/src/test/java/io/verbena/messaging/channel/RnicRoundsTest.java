package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RnicRoundsTest {

    private static final long ROUND_NS = 50;

    private final RnicRounds rounds = new RnicRounds();
    private long nowNs = 1_000_000;

    @BeforeEach
    void start() {
        rounds.pollRingsFirst();
        assertTrue(rounds.serves(true, true, nowNs));
    }

    private boolean serves(boolean idle, boolean awaited) {
        nowNs += ROUND_NS;
        return rounds.serves(idle, awaited, nowNs);
    }

    @Test
    void peersNeedTheRnic_everyRoundDrivesIt() {
        RnicRounds other = new RnicRounds();
        assertTrue(other.serves(false, false, nowNs));
        assertTrue(other.serves(true, false, nowNs));
    }

    @Test
    void completionIsAwaited_emptyRingsDriveIt() {
        assertFalse(serves(false, true));
        assertTrue(serves(true, true));
    }

    @Test
    void elementCrossesOneOfThisSide_noTurnIsInItsWay() {
        assertFalse(serves(false, false));
        for (long idleNs = ROUND_NS; idleNs < RnicRounds.MOST_IDLE_NS; idleNs += ROUND_NS) {
            assertFalse(serves(true, false));
        }
        assertTrue(serves(true, false));
        assertFalse(serves(true, false));
    }

    @Test
    void ringsOftenHaveElements_rnicIsDrivenNowAndThen() {
        int served = 0;
        long count = 100 * RnicRounds.MOST_BUSY_NS / (5 * ROUND_NS);
        for (int i = 0; i < count; i++) {
            nowNs += 4 * ROUND_NS;
            served += serves(i % 2 == 0, false) ? 1 : 0;
        }
        assertEquals(100, served, 1);
    }

    /** Of a simulation. */
    @Test
    void clockStandsStill_rnicIsDrivenNowAndThen() {
        int served = 0;
        for (int i = 0; i < 10 * RnicRounds.MOST_UNSERVED; i++) {
            served += rounds.serves(i % 2 == 0, false, nowNs) ? 1 : 0;
        }
        assertEquals(10, served);
    }
}
