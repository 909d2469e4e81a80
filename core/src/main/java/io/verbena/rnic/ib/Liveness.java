package io.verbena.rnic.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * Detects a peer that has disappeared while a reliable connection is idle. If nothing was received for half the bound,
 * the peer is probed; if nothing was received for the whole bound, it is lost. While requests are unanswered, their
 * retries decide instead.
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
    private long quietNs;
    private long stepNs;
    private long receivedNs;
    private long nextNs;
    private int steps;

    /** Starts. A bound of 0 means none. */
    void start(long boundNs, long nowNs) {
        on = boundNs > 0;
        quietNs = Math.max(1, boundNs / 2);
        stepNs = Math.max(1, (boundNs - quietNs) / STEPS);
        nextNs = Times.after(nowNs, quietNs);
        onReceived(nowNs);
    }

    /** A packet of the peer arrived. */
    void onReceived(long nowNs) {
        receivedNs = nowNs;
        steps = 0;
    }

    long nextDeadlineNs() {
        return on ? nextNs : Times.NEVER;
    }

    /** Checks a deadline. The peer need not be probed while it owes answers. */
    Verdict onDeadline(boolean answersOwed, long nowNs) {
        if (!Times.due(nextDeadlineNs(), nowNs)) {
            return Verdict.NOTHING;
        }
        if (answersOwed) {
            onReceived(nowNs);
        }
        long quietUntilNs = Times.after(receivedNs, quietNs);
        if (steps == 0 && !Times.due(quietUntilNs, nowNs)) {
            nextNs = quietUntilNs;
            return Verdict.NOTHING;
        }
        nextNs = Times.after(nowNs, stepNs);
        return steps++ == STEPS ? Verdict.LOST : Verdict.PROBE;
    }

    long stateDigest(long digest) {
        return on ? Digest.mix(digest, steps) : digest;
    }
}
