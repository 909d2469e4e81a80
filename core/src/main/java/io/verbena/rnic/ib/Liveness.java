package io.verbena.rnic.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * Detects a peer that has disappeared while a reliable connection is idle. If nothing was received for half the bound,
 * the peer is probed; if nothing was received for the whole bound, it is lost. While requests are unanswered, their
 * retries decide instead. With patience, probes continue for that time at least, unless the system of the peer reports that its port is gone.
 *
 * <p>The second half of the bound consists of steps, each of which counts once, however long it took. A machine that was
 * suspended, or a process that was stopped, therefore does not mistake its own absence for the peer's.
 */
final class Liveness {

    /** What is to be done when a deadline has passed. */
    enum Verdict {
        NOTHING,
        PROBE,
        LOST
    }

    private static final int STEPS = 4;

    private boolean on;
    private long patienceNs;
    private long quietNs;
    private long stepNs;
    private long heardNs;

    /** From when the silence counts that probes end. */
    private long quietFromNs;

    private long nextNs;
    private int steps;

    /** Starts. A bound of 0 means none. */
    void start(long boundNs, long patience, long nowNs) {
        on = boundNs > 0;
        patienceNs = patience;
        quietNs = Math.max(1, boundNs / 2);
        stepNs = Math.max(1, (boundNs - quietNs) / STEPS);
        nextNs = Times.after(nowNs, quietNs);
        onReceived(nowNs);
    }

    /** A packet of the peer arrived. */
    void onReceived(long nowNs) {
        heardNs = nowNs;
        begin(nowNs);
    }

    private void begin(long nowNs) {
        quietFromNs = nowNs;
        steps = 0;
    }

    long nextDeadlineNs() {
        return on ? nextNs : Times.NEVER;
    }

    /** When the last packet of the peer arrived. */
    long heardNs() {
        return heardNs;
    }

    /**
     * Checks a deadline. The peer need not be probed while it owes answers.
     *
     * @param portGone whether its system has reported since its last packet that no process has the port
     */
    Verdict onDeadline(boolean answersOwed, boolean portGone, long nowNs) {
        if (!Times.due(nextDeadlineNs(), nowNs)) {
            return Verdict.NOTHING;
        }
        if (answersOwed) {
            begin(nowNs);
        }
        long quietUntilNs = Times.after(quietFromNs, quietNs);
        if (steps == 0 && !Times.due(quietUntilNs, nowNs)) {
            nextNs = quietUntilNs;
            return Verdict.NOTHING;
        }
        nextNs = Times.after(nowNs, stepNs);
        if (steps < STEPS) {
            steps++;
            return Verdict.PROBE;
        }
        return portGone || nowNs - quietFromNs >= patienceNs ? Verdict.LOST : Verdict.PROBE;
    }

    long stateDigest(long digest) {
        return on ? Digest.mix(digest, steps) : digest;
    }
}
