package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The time of a peer, with explicit time. */
class PeerDeadlineTest {

    private static final long START_NS = Times.after(Long.MAX_VALUE - 600, 100); // the clock wraps around on the way

    @Test
    void eachStepNoticedInTime_passesAfterExactlyTheTimeout() {
        for (long timeoutNs : new long[] {1, 7, 8, 1_001, 5_000_000_000L}) {
            PeerDeadline deadline = new PeerDeadline(timeoutNs, START_NS);
            long nowNs = deadline.nextNs();
            while (!deadline.passed(nowNs)) {
                nowNs = deadline.nextNs();
            }
            assertEquals(timeoutNs, nowNs - START_NS);
            assertTrue(deadline.passed(nowNs + 1));
        }
    }

    @Test
    void processStopped_longerThanTheTimeout_countsOneStep() {
        PeerDeadline deadline = new PeerDeadline(8_000, START_NS);
        assertFalse(deadline.passed(START_NS + 999));
        assertFalse(deadline.passed(START_NS + 1_000_000));
        assertEquals(START_NS + 1_001_000, deadline.nextNs());
        for (int i = 1; i < 7; i++) {
            assertFalse(deadline.passed(START_NS + 1_000_000 + 1_000L * i));
        }
        assertTrue(deadline.passed(START_NS + 1_007_000));
    }

    @Test
    void longestTime_doesNotOverflow() {
        assertFalse(new PeerDeadline(Long.MAX_VALUE / 4, START_NS).passed(START_NS + Long.MAX_VALUE / 64));
    }
}
