package io.verbena.base;

/**
 * The time that a peer has for an answer, in steps of which each counts once, however long it took. A process that was stopped, or had no
 * processor, therefore does not take its own absence for that of the peer: what arrived meanwhile is processed before the next step ends.
 */
public final class PeerDeadline {

    private static final int STEPS = 8;

    private final long stepNs;
    private long nextNs;
    private int stepsLeft = STEPS;

    /** The time begins now. A process that notices each step in time waits exactly this long. */
    public PeerDeadline(long timeoutNs, long nowNs) {
        stepNs = timeoutNs / STEPS;
        nextNs = Times.after(nowNs, timeoutNs - (STEPS - 1) * stepNs);
    }

    /** When to call {@link #passed}. */
    public long nextNs() {
        return nextNs;
    }

    /** Ends a step that is over; returns whether it was the last one. */
    public boolean passed(long nowNs) {
        if (!Times.due(nextNs, nowNs)) {
            return false;
        }
        stepsLeft = Math.max(0, stepsLeft - 1);
        if (stepsLeft > 0) {
            nextNs = Times.after(nowNs, stepNs);
        }
        return stepsLeft == 0;
    }
}
