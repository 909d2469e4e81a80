package io.verbena.ib.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How long a requester waits for a peer that is silent, was slow, or loses packets. */
class RequestTimerTest {

    private static final long TIMEOUT_NS = 67_000_000;
    private static final int TIMEOUTS = 8;

    private final RequestTimer timer = new RequestTimer(TIMEOUT_NS);
    private long nowNs = 5;

    /** Time-outs without an answer; returns their duration. */
    private long silence(int timeouts) {
        long startNs = nowNs;
        timer.run(true, nowNs);
        for (int i = 0; i < timeouts; i++) {
            nowNs = timer.nextDeadlineNs();
            assertTrue(timer.timedOut(nowNs));
            timer.backOff();
            timer.restart();
            timer.run(true, nowNs);
        }
        return nowNs - startNs;
    }

    private void answered() {
        timer.onAckReceived(nowNs);
        timer.clear();
    }

    @Test
    void silence_doublesUpToALimit() {
        assertEquals(79 * TIMEOUT_NS, silence(TIMEOUTS));
    }

    @Test
    void peerAnswersAfterASecond_nextSilenceMayBeFourTimesAsLong() {
        long slowNs = silence(4);
        answered();
        assertEquals(79 * slowNs / 4, silence(TIMEOUTS));
    }

    @Test
    void peerAnswersAfterLong_timeoutHasALimit() {
        silence(7);
        answered();
        assertEquals(79 * RequestTimer.LONGEST_FIRST_NS, silence(TIMEOUTS));
    }

    @Test
    void twoLossesInARow_timeoutStaysShort() {
        for (int i = 0; i < 100; i++) {
            silence(2);
            answered();
        }
        assertEquals(TIMEOUT_NS, silence(1));
    }

    @Test
    void answersInTime_timeoutBecomesShortAgain() {
        silence(7);
        answered();
        for (int i = 0; i < 1_000; i++) {
            silence(0);
            nowNs += 1_000;
            answered();
        }
        assertEquals(TIMEOUT_NS, silence(1));
    }

    @Test
    void oldAnswersWhileWaiting_neverPostponeTheRepetition() {
        timer.run(true, nowNs);
        long dueNs = timer.nextDeadlineNs();
        for (int i = 0; i < 10; i++) {
            timer.onAckReceived(nowNs + i);
        }
        assertEquals(dueNs, timer.nextDeadlineNs());
    }

    @Test
    void longTimeoutConfigured_isNotShortened() {
        RequestTimer patient = new RequestTimer(3 * RequestTimer.LONGEST_FIRST_NS);
        patient.run(true, nowNs);
        for (int i = 0; i < 5; i++) {
            nowNs = patient.nextDeadlineNs();
            patient.backOff();
            patient.restart();
            patient.run(true, nowNs);
        }
        patient.onAckReceived(nowNs);
        patient.clear();
        patient.run(true, nowNs);
        assertEquals(nowNs + 3 * RequestTimer.LONGEST_FIRST_NS, patient.nextDeadlineNs());
    }
}
