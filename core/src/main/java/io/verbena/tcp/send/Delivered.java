package io.verbena.tcp.send;

/** What one acknowledgment has delivered: for the congestion window, the round-trip time, and loss detection by time. */
final class Delivered implements SentSegments.Delivery {

    /** A segment that was sent again is among those that were acknowledged. */
    private static final long NO_SAMPLE = -2;

    private final long iss;
    private final Rack rack;
    private final RttEstimator rtt;
    private final UnneededRepetitions unneeded;
    private long bytes;
    private long sampleNs;
    private long nowNs;
    private long longest;
    private boolean synRepeated;
    private long watchedEnd;
    private boolean original;

    Delivered(long iss, Rack rack, RttEstimator rtt, UnneededRepetitions unneeded) {
        this.iss = iss;
        this.rack = rack;
        this.rtt = rtt;
        this.unneeded = unneeded;
    }

    /** An acknowledgment has arrived. */
    void begin(long ackAtNs) {
        original = false;
        nowNs = ackAtNs;
        bytes = 0;
        sampleNs = -1;
    }

    @Override
    public void onDelivered(long from, long to, long sentAtNs, boolean sentOnce) {
        bytes += to - from;
        original |= sentOnce && to <= watchedEnd;
        longest = Math.max(longest, to - from);
        // RFC 6298 section 3: Karn's algorithm. What waited for a repeated segment says nothing about the path either.
        sampleNs = sentOnce && sampleNs != NO_SAMPLE ? nowNs - sentAtNs : NO_SAMPLE;
        if (!sentOnce && rtt.smoothedNs() != 0 && nowNs - sentAtNs < rtt.leastNs()) {
            unneeded.onOriginal(from, to);
        }
        if (from == iss) {
            synRepeated = !sentOnce;
        } else {
            rack.onDelivered(to, sentAtNs, sentOnce, rtt.leastNs(), nowNs);
        }
    }

    /** A duplicate acknowledgment without SACK stands for a segment (RFC 5681 section 2). */
    void onDuplicate(long segmentBytes) {
        bytes += segmentBytes;
    }

    /** Watches for data before this number that was sent only once. */
    void watch(long end) {
        watchedEnd = end;
    }

    /** Whether such data was delivered. */
    boolean original() {
        return original;
    }

    void measure() {
        if (sampleNs >= 0) {
            rtt.sample(sampleNs);
        }
    }

    /** Bytes that the current acknowledgment has delivered. */
    long bytes() {
        return bytes;
    }

    /** Bytes of the longest segment that has ever reached the peer. */
    long longest() {
        return longest;
    }

    boolean synRepeated() {
        return synRepeated;
    }
}
