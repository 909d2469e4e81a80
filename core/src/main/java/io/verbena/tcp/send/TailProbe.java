package io.verbena.tcp.send;

import io.verbena.base.Times;

/** The tail loss probe that is under way, and what its acknowledgment shows (RFC 8985 section 7). */
final class TailProbe {

    /** Time by which a peer may delay the acknowledgment of a single segment. */
    private static final long PEER_DELAY_NS = 50_000_000;

    private static final long WITHOUT_RTT_NS = 1_000_000_000;

    private boolean due;
    private boolean out;
    private boolean repeated;
    private long end;

    /** When to probe, after a segment was sent or acknowledged; {@link Times#NEVER} if the retransmission timer is earlier. */
    static long deadlineNs(RttEstimator rtt, int segmentsSent, long nowNs) {
        // RFC 8985 section 7.2.
        long delayNs = rtt.smoothedNs() == 0 ? WITHOUT_RTT_NS : 2 * rtt.smoothedNs() + 2_000_000;
        delayNs += segmentsSent == 1 ? PEER_DELAY_NS : 0;
        return delayNs < rtt.timeoutNs() ? Times.after(nowNs, delayNs) : Times.NEVER;
    }

    /** The probe timer has expired; {@code next} is the next sequence number. */
    void start(long next) {
        due = true;
        out = true;
        repeated = false;
        end = next;
    }

    /** Whether a segment is to be sent as the probe. */
    boolean due() {
        return due;
    }

    /** Whether a probe has not been acknowledged; no further one is sent then. */
    boolean out() {
        return out;
    }

    /** New data is the probe. */
    void done() {
        due = false;
    }

    /** The probe repeats the last segment. */
    void repeats() {
        due = false;
        repeated = true;
    }

    /** The retransmission timer has expired. */
    void cancel() {
        due = false;
        out = false;
    }

    /**
     * Whether an acknowledgment shows that the probe has repaired a loss, to which the usual reaction follows. RFC 8985 section
     * 7.4.2: the probe was unnecessary if the peer reports it as a duplicate; it was necessary if the peer acknowledges later
     * data without such a report.
     */
    boolean repairedLoss(long acknowledged, boolean duplicateReported) {
        if (!out || acknowledged < end) {
            return false;
        }
        if (!repeated || duplicateReported) {
            out = false;
            return false;
        }
        out = acknowledged == end;
        return !out;
    }
}
