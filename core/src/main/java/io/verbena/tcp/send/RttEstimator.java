package io.verbena.tcp.send;

/** Round-trip time and retransmission timeout (RFC 6298). */
public final class RttEstimator {

    /** RFC 6298 section 2: the timeout before the first measurement. */
    private static final long INITIAL_NS = 1_000_000_000;

    /** RFC 6298 section 5.7: the timeout for data if the SYN was retransmitted. */
    private static final long AFTER_LOST_SYN_NS = 3_000_000_000L;

    /** RFC 6298 section 2.5 permits a maximum of at least 60 s. */
    private static final long MAX_NS = 60_000_000_000L;

    private final long minNs;
    private long smoothedNs;
    private long variationNs;
    private long baseNs = INITIAL_NS;
    private long leastNs = Long.MAX_VALUE;
    private int backoff;

    RttEstimator(long minNs) {
        this.minNs = minNs;
    }

    /** A measurement of a segment that was sent once (RFC 6298 section 3: Karn's algorithm). */
    void sample(long rttNs) {
        long measuredNs = Math.max(1, rttNs);
        leastNs = Math.min(leastNs, measuredNs);
        if (smoothedNs == 0) {
            smoothedNs = measuredNs;
            variationNs = measuredNs / 2;
        } else {
            variationNs += (Math.abs(smoothedNs - measuredNs) - variationNs) / 4;
            smoothedNs += (measuredNs - smoothedNs) / 8;
        }
        baseNs = Math.clamp(smoothedNs + 4 * variationNs, minNs, MAX_NS);
    }

    /** The retransmission timeout, with the back-off. */
    long timeoutNs() {
        return Math.min(MAX_NS, baseNs << Math.min(backoff, 16));
    }

    /** RFC 6298 section 5.5: the timeout doubles. */
    void backOff() {
        backoff++;
    }

    /** Whether a timeout has expired since new data was acknowledged. */
    boolean backedOff() {
        return backoff > 0;
    }

    /** Number of timeouts that have expired since new data was acknowledged. */
    int timeouts() {
        return backoff;
    }

    /** New data was acknowledged, or the path works again: the back-off ends. */
    void restore() {
        backoff = 0;
    }

    /** The SYN was retransmitted before it was acknowledged. */
    void lostSyn() {
        if (smoothedNs == 0) {
            baseNs = AFTER_LOST_SYN_NS;
        }
    }

    /** Smoothed round-trip time; 0 before the first measurement. */
    public long smoothedNs() {
        return smoothedNs;
    }

    /** Smallest round-trip time; {@link Long#MAX_VALUE} before the first measurement. */
    long leastNs() {
        return leastNs;
    }
}
