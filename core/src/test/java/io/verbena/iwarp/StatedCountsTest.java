package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.survival.RequestKind;
import org.junit.jupiter.api.Test;

/** When the responder of a surviving connection states its count. */
class StatedCountsTest {

    private static final long DELAY_NS = 20_000;
    private static final long HINTED_DELAY_NS = 1_000_000;

    private final StatedCounts counts = new StatedCounts();

    private void sends(long first, long last, long nowNs) {
        for (long n = first; n <= last; n++) {
            counts.onExecuted(RequestKind.SEND, 0, n);
        }
        counts.onRead(false, nowNs);
    }

    /** A request that this side has not answered by work within the delay. */
    private void unanswered() {
        counts.onExecuted(RequestKind.WRITE, 8, 1);
        counts.onRead(false, -DELAY_NS);
        assertTrue(counts.due(0, 0));
        counts.onStated(1, 0);
    }

    @Test
    void shortWrite_nothingElseHasArrived_isStatedAtOnce_unlessTheLastOneWasAnswered() {
        unanswered();
        counts.onExecuted(RequestKind.WRITE, 8, 2);
        counts.onRead(false, 5);
        assertTrue(counts.due(0, 5));
        assertFalse(counts.due(2, 5), "it is in the list already");
        counts.onStated(2, 5);
        assertFalse(counts.owes(0));
        assertEquals(Times.NEVER, counts.dueNs());
        counts.onWorkSent(10);
        counts.onExecuted(RequestKind.WRITE, 8, 3);
        counts.onRead(false, 20);
        assertFalse(counts.due(0, 20), "the answer takes the count along");
        assertTrue(counts.unstated(0));
    }

    @Test
    void shortWrite_moreHasArrived_waitsForIt() {
        unanswered();
        counts.onExecuted(RequestKind.WRITE, 8, 2);
        counts.onRead(true, 5);
        assertFalse(counts.due(0, 5));
        counts.onRead(false, 6);
        assertTrue(counts.due(0, 6));
    }

    @Test
    void longWrites_waitForTheDelay_or256KiB() {
        counts.onExecuted(RequestKind.WRITE, 64 * 1024, 1);
        counts.onRead(false, 0);
        assertFalse(counts.due(0, DELAY_NS - 1));
        assertTrue(counts.due(0, DELAY_NS));
        for (int n = 2; n <= 4; n++) {
            counts.onExecuted(RequestKind.WRITE, 64 * 1024, n);
        }
        assertTrue(counts.due(0, 1));
    }

    @Test
    void send_isStatedByTheAnswer_andReliablyLater() {
        sends(1, 1, 0);
        assertFalse(counts.due(0, DELAY_NS - 1));
        counts.onHinted(1, 10);
        assertFalse(counts.due(0, HINTED_DELAY_NS));
        assertTrue(counts.owes(0), "the answer may arrive before its predecessors");
        assertEquals(10 + HINTED_DELAY_NS, counts.dueNs());
        assertTrue(counts.due(0, 10 + HINTED_DELAY_NS));
    }

    @Test
    void pingPong_statesByAnswers_until128() {
        for (int n = 1; n < 128; n++) {
            sends(n, n, 0);
            counts.onHinted(n, 1);
            assertFalse(counts.due(0, 1), "after " + n);
        }
        sends(128, 128, 0);
        assertTrue(counts.due(0, 1));
    }

    @Test
    void eightRequestsWithoutAnAnswer_areStated() {
        sends(1, 7, 0);
        assertFalse(counts.due(0, 1));
        sends(8, 8, 0);
        assertTrue(counts.due(0, 1));
    }

    @Test
    void resumed_owesNothing() {
        sends(1, 8, 0);
        counts.resume(8);
        assertFalse(counts.owes(0));
        assertEquals(Times.NEVER, counts.dueNs());
    }
}
