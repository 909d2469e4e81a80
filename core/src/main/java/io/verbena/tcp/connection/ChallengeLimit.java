package io.verbena.tcp.connection;

import io.verbena.base.Times;

/**
 * Limits the acknowledgments that unacceptable segments cause (RFC 5961 section 7). The limit is one of the connection, because a limit
 * of the host would tell an attacker whether his guesses for another connection were answered.
 */
final class ChallengeLimit {

    private static final int PER_PERIOD = 5;
    private static final long PERIOD_NS = 1_000_000_000;

    private int left = PER_PERIOD;
    private long periodEndNs = Times.NEVER;

    /** Whether one more may be sent now. */
    boolean permits(long nowNs) {
        if (periodEndNs == Times.NEVER || Times.due(periodEndNs, nowNs)) {
            periodEndNs = Times.after(nowNs, PERIOD_NS);
            left = PER_PERIOD;
        }
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
