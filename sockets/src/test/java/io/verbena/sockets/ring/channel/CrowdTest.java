package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CrowdTest {

    private final Crowd crowd = new Crowd();
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
