package io.verbena.sockets.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Which time of a connection to the target counts. */
class PatienceTest {

    private static final long S = 1_000_000_000;
    private static final long LIMIT = 5 * S;

    private final InetSocketAddress target = new InetSocketAddress("127.0.0.1", 1);
    private final InetSocketAddress other = new InetSocketAddress("127.0.0.2", 1);
    private final Patience patience = new Patience(0);
    private long nowNs;

    private long turns(long ns) {
        long atNs = 0;
        for (long endNs = nowNs + ns; nowNs < endNs; ) {
            nowNs = Math.min(endNs, nowNs + Patience.TURN_NS);
            atNs = patience.at(nowNs);
        }
        return atNs;
    }

    @Test
    void silentTarget_limitCounts() {
        long beganNs = turns(S);
        turns(4 * S);
        assertEquals(S, patience.leftNs(target, beganNs, LIMIT));
        turns(S);
        assertEquals(0, patience.leftNs(target, beganNs, LIMIT));
    }

    @Test
    void proxyHasNoProcessor_thatTimeDoesNotCount() {
        long beganNs = turns(S);
        nowNs += 60 * S;
        patience.at(nowNs);
        assertEquals(LIMIT - Patience.TURN_NS, patience.leftNs(target, beganNs, LIMIT));
    }

    @Test
    void targetAnswersOthers_timeBeginsAgain_upToTheMost() {
        long beganNs = turns(S);
        for (int i = 0; i < 2 * Patience.MOST - 2; i++) {
            turns(LIMIT / 2);
            patience.answered(target);
            assertTrue(patience.leftNs(target, beganNs, LIMIT) > 0, "after " + i);
        }
        turns(LIMIT);
        assertEquals(0, patience.leftNs(target, beganNs, LIMIT));
    }

    @Test
    void otherAddressAnswers_doesNotMatter() {
        long beganNs = turns(S);
        turns(4 * S);
        patience.answered(other);
        assertEquals(S, patience.leftNs(target, beganNs, LIMIT));
    }
}
