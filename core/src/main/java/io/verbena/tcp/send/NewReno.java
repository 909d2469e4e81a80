package io.verbena.tcp.send;

/** Slow start and congestion avoidance of RFC 5681. */
final class NewReno implements CongestionControl {

    private long window;
    private long threshold = Long.MAX_VALUE;
    private long segment;
    private long acknowledged;

    NewReno(int segmentBytes) {
        segment = segmentBytes;
        window = CongestionControl.initialWindow(segmentBytes);
    }

    @Override
    public long windowBytes() {
        return window;
    }

    @Override
    public long thresholdBytes() {
        return threshold;
    }

    @Override
    public void window(long bytes) {
        window = Math.max(segment, bytes);
        acknowledged = 0;
    }

    @Override
    public void onAcknowledged(long bytes, long growth, long rttNs, long nowNs) {
        long rest = bytes;
        if (window < threshold) {
            long space = threshold - window;
            window += Math.min(growth, space);
            rest = Math.max(0, growth - space);
        }
        acknowledged += rest;
        if (acknowledged >= window) {
            acknowledged -= window;
            window += segment;
        }
    }

    @Override
    public void onLoss(long flightBytes, long nowNs) {
        // RFC 5681 section 3.1, equation (4).
        threshold = Math.max(flightBytes / 2, 2 * segment);
    }

    @Override
    public void onTimeout(long flightBytes, boolean again, long nowNs) {
        if (!again) {
            onLoss(flightBytes, nowNs);
        }
        window(segment);
    }

    @Override
    public void undo(long windowBytes, long thresholdBytes) {
        threshold = thresholdBytes;
        window(windowBytes);
    }

    @Override
    public void segmentBytes(int bytes) {
        segment = bytes;
        window = Math.max(window, segment);
    }
}
