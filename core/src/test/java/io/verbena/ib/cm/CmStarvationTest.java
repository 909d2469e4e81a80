package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Set-up between processes that have no processor for seconds: slow, but neither given up nor a storm of requests. */
class CmStarvationTest {

    private static final long TIMEOUT_NS = CmConnection.timeNs(20);
    private static final int SLOW_STEPS = 200;

    private final CmPair pair = new CmPair();

    /** Both sides exchange what they have; returns the number of requests that left. */
    private int exchange() {
        int requests = 0;
        for (int i = 0; i < 3; i++) {
            pair.a.collect();
            for (byte[] each : pair.a.wire) {
                requests += CmPair.name(each).equals("REQ") ? 1 : 0;
            }
            pair.toB();
            pair.toA();
        }
        return requests;
    }

    @Test
    void acceptorAnswersLate_mraBetween_fewRequestsAndEstablished() {
        int ours = pair.connect(0x11);
        int requests = exchange();
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        // 40 time-outs: 2.5 times as long as the requester would repeat its request to a silent peer.
        for (int i = 0; i < SLOW_STEPS; i++) {
            pair.pass(TIMEOUT_NS / 5);
            requests += exchange();
        }
        assertEquals(0, pair.a.count(CmSignal.TimedOut.class));
        assertTrue(requests <= 12, requests + " requests");
        assertTrue(pair.b.agent.accept(theirs, CmPair.answer(0x22), pair.nowNs));
        exchange();
        assertEquals(1, pair.a.count(CmSignal.Replied.class));
        assertTrue(pair.a.agent.ready(ours, new byte[0], pair.nowNs));
        exchange();
        assertEquals(1, pair.b.count(CmSignal.Established.class));
    }

    @Test
    void peersAnswerSlowly_nextRequest_waitsLonger() {
        pair.connect(0x11);
        exchange();
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        pair.pass(TIMEOUT_NS * 9 / 10);
        pair.b.agent.accept(theirs, CmPair.answer(0x22), pair.nowNs);
        exchange();
        pair.connect(0x12);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.pass(TIMEOUT_NS * 17 / 10);
        assertEquals(List.of(), pair.a.sent());
        pair.pass(TIMEOUT_NS / 5);
        assertEquals(List.of("REQ"), pair.a.sent());
    }

    /** A process without a processor notices its time-outs late: each counts once. */
    @Test
    void requesterStopped_muchLongerThanAllRetries_repeatsOnce() {
        pair.connect(0x11);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.pass(100 * TIMEOUT_NS);
        assertEquals(List.of("REQ"), pair.a.sent());
        assertEquals(0, pair.a.count(CmSignal.TimedOut.class));
    }
}
