package io.verbena.tcp;

import io.verbena.base.Times;

/**
 * Checks a silent peer if the owner asks for it (RFC 9293 section 3.8.4 [1, 2, 3, 4, 6]): after half of the bound it is probed several
 * times, and given up at the end of the bound.
 */
final class TcpKeepAlive {

    private static final int PROBES = 4;

    /** What is to be done. */
    enum Step {
        NOTHING,
        PROBE,
        LOST
    }

    private long boundNs;
    private long atNs = Times.NEVER;
    private long heardNs;

    /** Starts the check; 0 ends it. */
    void start(long newBoundNs, long nowNs) {
        boundNs = newBoundNs;
        heardNs = nowNs;
        atNs = newBoundNs == 0 ? Times.NEVER : Times.after(nowNs, newBoundNs / 2);
    }

    void heard(long nowNs) {
        heardNs = nowNs;
    }

    long nextDeadlineNs() {
        return atNs;
    }

    Step onDeadline(long nowNs) {
        if (!Times.due(atNs, nowNs)) {
            return Step.NOTHING;
        }
        long silentNs = nowNs - heardNs;
        if (silentNs >= boundNs) {
            return Step.LOST;
        }
        boolean probe = silentNs >= boundNs / 2;
        atNs = probe ? Times.after(nowNs, boundNs / (2 * PROBES)) : Times.after(heardNs, boundNs / 2);
        return probe ? Step.PROBE : Step.NOTHING;
    }
}
