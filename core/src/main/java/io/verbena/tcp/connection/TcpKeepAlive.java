package io.verbena.tcp.connection;

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

    /** Probes since the peer was heard. */
    private int probes;

    /** Starts the check; 0 ends it. */
    void start(long newBoundNs, long nowNs) {
        boundNs = newBoundNs;
        heardNs = nowNs;
        probes = 0;
        atNs = newBoundNs == 0 ? Times.NEVER : Times.after(nowNs, newBoundNs / 2);
    }

    /** The peer was heard. Returns whether it was silent before, so that it has been probed. */
    boolean heard(long nowNs) {
        boolean silent = probes > 0;
        heardNs = nowNs;
        probes = 0;
        return silent;
    }

    long nextDeadlineNs() {
        return atNs;
    }

    Step onDeadline(long nowNs) {
        if (!Times.due(atNs, nowNs)) {
            return Step.NOTHING;
        }
        if (nowNs - heardNs < boundNs / 2) {
            atNs = Times.after(heardNs, boundNs / 2);
            return Step.NOTHING;
        }
        if (probes == PROBES) {
            return Step.LOST;
        }
        // Each probe counts once, however late: a process that was stopped does not mistake its own absence for the
        // peer's.
        probes++;
        atNs = Times.after(nowNs, boundNs / (2 * PROBES));
        return Step.PROBE;
    }
}
