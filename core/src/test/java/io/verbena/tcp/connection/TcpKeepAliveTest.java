package io.verbena.tcp.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tcp.connection.TcpKeepAlive.Step;
import org.junit.jupiter.api.Test;

/** The check of a silent peer, with explicit time. */
class TcpKeepAliveTest {

    private static final long BOUND_NS = 8_000;

    private final TcpKeepAlive check = new TcpKeepAlive();

    @Test
    void peerSilent_fourProbes_lostAtTheBound() {
        check.start(BOUND_NS, 100);
        for (int i = 0; i < 4; i++) {
            assertEquals(100 + BOUND_NS / 2 + i * BOUND_NS / 8, check.nextDeadlineNs());
            assertEquals(Step.PROBE, check.onDeadline(check.nextDeadlineNs()));
        }
        assertEquals(100 + BOUND_NS, check.nextDeadlineNs());
        assertEquals(Step.LOST, check.onDeadline(check.nextDeadlineNs()));
    }

    /** The own process was stopped: the silence is its own. */
    @Test
    void ownProcessStopped_longerThanTheBound_probesFirst() {
        check.start(BOUND_NS, 100);
        assertEquals(Step.PROBE, check.onDeadline(100 + 50 * BOUND_NS));
        check.heard(101 + 50 * BOUND_NS);
        assertEquals(Step.NOTHING, check.onDeadline(check.nextDeadlineNs()));
        assertTrue(check.nextDeadlineNs() - 50 * BOUND_NS > 0);
    }
}
