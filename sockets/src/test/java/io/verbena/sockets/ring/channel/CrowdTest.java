package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.live.WantedProcessors;
import org.junit.jupiter.api.Test;

class CrowdTest {

    private int wanting;
    private final Crowd crowd = new Crowd(new WantedProcessors(() -> wanting, 2));
    private final long startNs = System.nanoTime();

    @Test
    void threadThatKeepsItsProcessor_spins() {
        assertFalse(crowd.looked(startNs, startNs + Crowd.LOST_NS - 1));
        assertFalse(crowd.waits(startNs + Crowd.LOST_NS));
    }

    @Test
    void threadThatHasLostIt_doesNotSpinForAWhile() {
        long nowNs = startNs + Crowd.LOST_NS;
        assertTrue(crowd.looked(startNs, nowNs));
        assertTrue(crowd.waits(nowNs + Crowd.LEAST_NS - 1));
        assertFalse(crowd.waits(nowNs + Crowd.LEAST_NS));
    }

    @Test
    void moreThreadsThanProcessors_sleepAtOnce_untilTheNextCount() {
        wanting = 3;
        long nowNs = System.nanoTime();
        assertTrue(crowd.sleeps(nowNs));
        assertFalse(crowd.waits(nowNs));
        wanting = 2;
        assertFalse(crowd.sleeps(nowNs + WantedProcessors.COUNT_NS));
    }

    @Test
    void longLoss_makesALongWhile() {
        long lostNs = 40_000_000;
        assertTrue(crowd.looked(startNs, startNs + lostNs));
        assertTrue(crowd.waits(startNs + lostNs + Crowd.TIMES_LOST * lostNs - 1));
        assertFalse(crowd.waits(startNs + lostNs + Crowd.TIMES_LOST * lostNs));
    }

    /** The while between the two is over before the second loss, however long that is. */
    @Test
    void secondLoss_doublesTheWhile_alsoIfItIsLong() {
        assertTrue(crowd.looked(startNs, startNs + Crowd.LOST_NS));
        long beforeNs = startNs + Crowd.LOST_NS + Crowd.LEAST_NS;
        long nowNs = beforeNs + 2 * Crowd.MOST_NS / Crowd.TIMES_LOST;
        assertTrue(crowd.looked(beforeNs, nowNs));
        assertTrue(crowd.waits(nowNs + Crowd.MOST_NS - 1));
    }

    @Test
    void lossInTheNextSpin_doublesTheWhile_toALimit() {
        long nowNs = startNs;
        long pauseNs = Crowd.LEAST_NS;
        for (int i = 0; i < 10; i++) {
            assertTrue(crowd.looked(nowNs, nowNs + Crowd.LOST_NS));
            nowNs += Crowd.LOST_NS;
            assertTrue(crowd.waits(nowNs + pauseNs - 1));
            assertFalse(crowd.waits(nowNs + pauseNs));
            nowNs += pauseNs;
            pauseNs = Math.min(Crowd.MOST_NS, 2 * pauseNs);
        }
        crowd.looked(nowNs + 2 * Crowd.MOST_NS, nowNs + 2 * Crowd.MOST_NS + Crowd.LOST_NS);
        assertFalse(crowd.waits(nowNs + 2 * Crowd.MOST_NS + Crowd.LOST_NS + Crowd.LEAST_NS));
    }
}
