package io.verbena.tcp.send;

import io.verbena.tcp.state.TcpSettings;

/** The congestion window of one connection: how it grows, and how far a loss reduces it. Pure arithmetic in bytes. */
interface CongestionControl {

    /** Creates an algorithm with the window of a new connection. */
    static CongestionControl of(TcpSettings.Congestion kind, int segmentBytes) {
        return switch (kind) {
            case NEW_RENO -> new NewReno(segmentBytes);
            case CUBIC -> new Cubic(segmentBytes);
        };
    }

    /** RFC 6928 section 2: the initial window for a segment size. */
    static long initialWindow(int segmentBytes) {
        return Math.min(10L * segmentBytes, Math.max(2L * segmentBytes, 14_600));
    }

    /** The congestion window. */
    long windowBytes();

    /** The slow start threshold. */
    long thresholdBytes();

    /** Sets the window: during recovery, and after idle times. */
    void window(long bytes);

    /**
     * Data was acknowledged while the window was in full use.
     *
     * @param growth the most by which slow start increases the window, see {@link SlowStart}
     */
    void onAcknowledged(long bytes, long growth, long rttNs, long nowNs);

    /** A loss was detected: sets the threshold, to which recovery will reduce the window. */
    void onLoss(long flightBytes, long nowNs);

    /** The retransmission timer expired: threshold as after a loss unless {@code again}, window of one segment. */
    void onTimeout(long flightBytes, boolean again, long nowNs);

    /** The last timeout was spurious: its effect is taken back. */
    void undo(long windowBytes, long thresholdBytes);

    /** The segment size has changed. */
    void segmentBytes(int bytes);
}
