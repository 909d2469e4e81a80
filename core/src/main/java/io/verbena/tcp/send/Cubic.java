package io.verbena.tcp.send;

/**
 * CUBIC (RFC 9438). After a loss the window grows as a cubic function of the time since then: fast, slowly around the window at
 * which the loss occurred, fast again. Where Reno would have a larger window, Reno's is used.
 *
 * <pre>
 *   W(t) = C (t - K)^3 + Wmax      K = cbrt(Wmax (1 - beta) / C)      in segments and seconds
 * </pre>
 */
final class Cubic implements CongestionControl {

    private static final double C = 0.4;
    private static final double BETA = 0.7;
    private static final double RENO_GROWTH = 3 * (1 - BETA) / (1 + BETA);
    private static final double SECOND = 1e9;

    private double window;
    private long threshold = Long.MAX_VALUE;
    private int segment;
    private double maximum;
    private double renoWindow;
    private double inflection;
    private boolean inEpoch;
    private long epochNs;

    Cubic(int segmentBytes) {
        segment = segmentBytes;
        window = CongestionControl.initialWindow(segmentBytes);
    }

    @Override
    public long windowBytes() {
        return (long) window;
    }

    @Override
    public long thresholdBytes() {
        return threshold;
    }

    @Override
    public void window(long bytes) {
        window = Math.max(segment, bytes);
    }

    @Override
    public void onAcknowledged(long bytes, long growth, long rttNs, long nowNs) {
        if (window < threshold) {
            window += Math.min((double) growth, threshold - window);
            return;
        }
        if (!inEpoch) {
            inEpoch = true;
            epochNs = nowNs;
            renoWindow = window;
            maximum = Math.max(maximum, window);
            inflection = Math.cbrt((maximum - window) / segment / C);
        }
        renoWindow += RENO_GROWTH * segment * bytes / window;
        double seconds = (nowNs - epochNs + rttNs) / SECOND;
        double target = maximum + C * Math.pow(seconds - inflection, 3) * segment;
        target = Math.clamp(target, window, 1.5 * window);
        window += (target - window) * bytes / window;
        window = Math.max(window, renoWindow);
    }

    @Override
    public void onLoss(long flightBytes, long nowNs) {
        inEpoch = false;
        double before = Math.min(window, (double) Math.max(flightBytes, segment));
        // RFC 9438 section 4.7: fast convergence, a flow whose window shrinks leaves more to others.
        maximum = before < maximum ? before * (1 + BETA) / 2 : before;
        threshold = (long) Math.max(before * BETA, 2.0 * segment);
    }

    @Override
    public void onTimeout(long flightBytes, boolean again, long nowNs) {
        if (!again) {
            onLoss(flightBytes, nowNs);
        }
        inEpoch = false;
        window = segment;
    }

    @Override
    public void undo(long windowBytes, long thresholdBytes) {
        threshold = thresholdBytes;
        window(windowBytes);
        inEpoch = false;
    }

    @Override
    public void segmentBytes(int bytes) {
        segment = bytes;
        window = Math.max(window, segment);
    }
}
