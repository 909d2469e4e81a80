package io.verbena.tcp.send;

/**
 * The phases of loss recovery, and the congestion window in each of them.
 *
 * <pre>
 *            a record is lost                      all up to the recovery point is acknowledged
 *   OPEN -----------------------> FAST -------------------------------------------------> OPEN
 *     |                             |  window: proportional rate reduction
 *     | timeout                     | timeout
 *     +---------> LOSS &lt;------------+  window: slow start from one segment
 *                   +-------------------------------------------------------------------> OPEN
 * </pre>
 *
 * <p>Proportional rate reduction (RFC 6937): while more is in the network than the threshold permits, each delivered byte permits the
 * fraction of a byte that reduces the window to the threshold within one round trip; below the threshold, losses are filled up as in
 * slow start. So transmission never stops, and there is no burst at the end.
 */
final class Recovery {

    private enum Phase {
        OPEN,
        FAST,
        LOSS
    }

    private final CongestionControl congestion;
    private final UnneededRepetitions unneeded;
    private Phase phase = Phase.OPEN;
    private long point;
    private long delivered;
    private long sent;
    private long flightAtStart;

    Recovery(CongestionControl congestion, UnneededRepetitions unneeded, long start) {
        this.congestion = congestion;
        this.unneeded = unneeded;
        this.point = start;
    }

    boolean open() {
        return phase == Phase.OPEN;
    }

    boolean fast() {
        return phase == Phase.FAST;
    }

    boolean afterTimeout() {
        return phase == Phase.LOSS;
    }

    /** Everything before this number was sent before the last recovery began. */
    long point() {
        return point;
    }

    /** A loss was detected. */
    void enterFast(long next, long flight, long nowNs) {
        unneeded.begin(congestion.windowBytes(), congestion.thresholdBytes());
        phase = Phase.FAST;
        point = next;
        congestion.onLoss(flight, nowNs);
        delivered = 0;
        sent = 0;
        flightAtStart = Math.max(1, flight);
    }

    /** The retransmission timer expired. */
    void enterLoss(long next, long flight, boolean again, long nowNs) {
        unneeded.stop();
        congestion.onTimeout(flight, again || phase == Phase.LOSS, nowNs);
        phase = Phase.LOSS;
        point = next;
    }

    /** The timeout was spurious. RFC 4015 section 3.2: the window permits what is in flight, and what was acknowledged. */
    void undoTimeout(long flight, long acknowledged, SpuriousTimeout timeout, int segmentBytes) {
        phase = Phase.OPEN;
        long more = Math.min(acknowledged, CongestionControl.initialWindow(segmentBytes));
        congestion.undo(flight + more, timeout.threshold());
    }

    /** If no repetition was necessary, nothing was lost: the windows before the recovery return (RFC 3708 section 3). */
    void undoUnneeded(boolean moreLost) {
        if (moreLost || afterTimeout() || !unneeded.all()) {
            return;
        }
        phase = Phase.OPEN;
        congestion.undo(Math.max(congestion.windowBytes(), unneeded.windowBytes()), unneeded.thresholdBytes());
        unneeded.stop();
    }

    /** Bytes were sent, new ones or again. */
    void onSent(long bytes) {
        sent += bytes;
    }

    /** Ends the recovery if everything up to the recovery point is acknowledged; returns whether it ended. */
    boolean onAcknowledged(long acknowledged) {
        if (phase == Phase.OPEN || acknowledged < point) {
            return false;
        }
        if (phase == Phase.FAST) {
            congestion.window(congestion.thresholdBytes());
        }
        phase = Phase.OPEN;
        return true;
    }

    /** Computes the window during fast recovery, after an acknowledgment that delivered these bytes. */
    void reduce(long newlyDelivered, long pipe, boolean moreLost, int segmentBytes) {
        delivered += newlyDelivered;
        long threshold = congestion.thresholdBytes();
        long allowance;
        if (pipe > threshold) {
            allowance = (delivered * threshold + flightAtStart - 1) / flightAtStart - sent;
        } else {
            long catchUp = Math.max(delivered - sent, newlyDelivered) + (moreLost ? 0 : segmentBytes);
            allowance = Math.min(threshold - pipe, catchUp);
        }
        // RFC 6937 section 3: the first retransmission is always permitted.
        allowance = Math.max(allowance, sent == 0 ? segmentBytes : 0);
        congestion.window(pipe + allowance);
    }
}
