package io.verbena.tcp.send;

import io.verbena.base.Times;

/** The deadlines of a sender. Each is {@link Times#NEVER} while it is not set. */
final class SendTimers {

    private static final long LONGEST_PROBE_NS = 60_000_000_000L;

    /** The retransmission timer (RFC 6298 section 5). */
    private long timeoutNs = Times.NEVER;

    /** The tail loss probe (RFC 8985 section 7). */
    private long tailNs = Times.NEVER;

    /** The end of the reordering window of a segment that may be lost (RFC 8985 section 6.3). */
    private long reorderingNs = Times.NEVER;

    /** The probe of a window that is too small (RFC 9293 section 3.8.6.1 [note]). */
    private long windowNs = Times.NEVER;

    private int windowProbes;

    long nextNs() {
        return Times.earlier(Times.earlier(timeoutNs, tailNs), Times.earlier(reorderingNs, windowNs));
    }

    /** How late the next deadline is noticed. This process was stopped for that time, and it does not count as silence of the peer. */
    long lateNs(long nowNs) {
        return nowNs - Times.earlier(nextNs(), nowNs);
    }

    void timeout(long deadlineNs) {
        timeoutNs = deadlineNs;
    }

    /** Ends the back-off: the timeout that has been prolonged by it expires now. */
    void endBackOff(RttEstimator rtt, long nowNs) {
        if (timeoutSet() && rtt.backedOff()) {
            rtt.restore();
            timeoutNs = nowNs;
        }
    }

    boolean timeoutSet() {
        return timeoutNs != Times.NEVER;
    }

    boolean timeoutDue(long nowNs) {
        return Times.due(timeoutNs, nowNs);
    }

    void tail(long deadlineNs) {
        tailNs = deadlineNs;
    }

    /** Whether the tail loss probe is due; it is not set afterwards. */
    boolean takeTail(long nowNs) {
        boolean due = Times.due(tailNs, nowNs);
        tailNs = due ? Times.NEVER : tailNs;
        return due;
    }

    void reordering(long deadlineNs) {
        reorderingNs = deadlineNs;
    }

    boolean reorderingDue(long nowNs) {
        return Times.due(reorderingNs, nowNs);
    }

    /** Starts to probe the window, unless that is under way. */
    void watchWindow(RttEstimator rtt, long nowNs) {
        if (windowNs == Times.NEVER) {
            // RFC 9293 section 3.8.6.1 [note]: the first probe after a retransmission timeout, then at growing
            // intervals.
            long intervalNs = Math.min(LONGEST_PROBE_NS, rtt.timeoutNs() << Math.min(windowProbes, 16));
            windowNs = Times.after(nowNs, intervalNs);
        }
    }

    /** Whether a probe of the window is due; the next one is not set afterwards. */
    boolean takeWindow(long nowNs) {
        boolean due = Times.due(windowNs, nowNs);
        if (due) {
            windowNs = Times.NEVER;
            windowProbes++;
        }
        return due;
    }

    /** Whether a probe of the window was sent, and the window is still too small. */
    boolean windowProbed() {
        return windowProbes > 0;
    }

    /** The window is large enough. */
    void windowOpen() {
        windowNs = Times.NEVER;
        windowProbes = 0;
    }

    /** Nothing is unacknowledged any more. */
    void allAcknowledged() {
        timeoutNs = Times.NEVER;
        tailNs = Times.NEVER;
        reorderingNs = Times.NEVER;
    }

    void clear() {
        allAcknowledged();
        windowNs = Times.NEVER;
    }
}
