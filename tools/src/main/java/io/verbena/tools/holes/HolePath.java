package io.verbena.tools.holes;

/**
 * A path for packets. Everything random on it follows from the seed.
 *
 * @param seed of the random decisions
 * @param latePercent how many packets arrive late, by up to {@code lateNs}
 * @param lostPercent how many packets are lost
 * @param lateNs maximum delay of a late segment
 * @param oneWayNs delay of all segments
 * @param bytesPerSecond rate of the sender
 * @param windowBytes buffers of the TCP, and its largest window
 * @param segmentBytes maximum payload of a segment; an FPDU fits in one
 * @param starts how the receiver finds FPDUs after a hole
 */
public record HolePath(
        long seed,
        double latePercent,
        double lostPercent,
        long lateNs,
        long oneWayNs,
        long bytesPerSecond,
        int windowBytes,
        int segmentBytes,
        FrameStarts starts) {

    private static final long MICROSECOND = 1_000;

    /** 5 % late by up to 0.5 ms, 1 % lost, 0.25 ms each way, 1 GB/s, a window of 4 MiB, Ethernet. */
    public static HolePath of(long seed) {
        return new HolePath(
                seed, 5, 1, 500 * MICROSECOND, 250 * MICROSECOND, 1_000_000_000, 4 << 20, 1_448, FrameStarts.MARKERS);
    }

    public HolePath withLate(double percent, long maxNs) {
        return new HolePath(
                seed, percent, lostPercent, maxNs, oneWayNs, bytesPerSecond, windowBytes, segmentBytes, starts);
    }

    public HolePath withLost(double percent) {
        return new HolePath(
                seed, latePercent, percent, lateNs, oneWayNs, bytesPerSecond, windowBytes, segmentBytes, starts);
    }

    public HolePath withRate(long newBytesPerSecond) {
        return new HolePath(
                seed, latePercent, lostPercent, lateNs, oneWayNs, newBytesPerSecond, windowBytes, segmentBytes, starts);
    }

    public HolePath withWindow(int bytes) {
        return new HolePath(
                seed, latePercent, lostPercent, lateNs, oneWayNs, bytesPerSecond, bytes, segmentBytes, starts);
    }

    public HolePath withStarts(FrameStarts value) {
        return new HolePath(
                seed, latePercent, lostPercent, lateNs, oneWayNs, bytesPerSecond, windowBytes, segmentBytes, value);
    }
}
