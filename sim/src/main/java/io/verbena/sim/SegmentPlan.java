package io.verbena.sim;

/**
 * The treatment of segments by the virtual TCP of segment streams. A frequency means one segment in this many, on
 * average; 0 disables the fault.
 *
 * @param segmentBytes maximum payload of a segment; longer units are split
 * @param holdOneIn a segment is late, so that later ones overtake it
 * @param maxHoldNs maximum delay of a late segment, and of a retransmission
 * @param repeatOneIn a segment is delivered again later, cut elsewhere, so that it overlaps its neighbours
 * @param mergeOneIn a segment is delivered together with the next one, as a receive offload does
 * @param keeps whether bytes after a hole that were not taken are kept; otherwise the peer retransmits them
 * @param lateAtByte the segment with this offset is late by {@code lateNs}; {@link #NEVER} disables this
 * @param lateNs delay of that segment
 */
public record SegmentPlan(
        int segmentBytes,
        int holdOneIn,
        long maxHoldNs,
        int repeatOneIn,
        int mergeOneIn,
        boolean keeps,
        long lateAtByte,
        long lateNs) {

    /** No segment is late. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int ETHERNET = 1_448;
    private static final int LARGEST = 60_000;
    private static final long MICROSECOND = 1_000;

    /** Segments in order, each once. */
    public static SegmentPlan calm() {
        return new SegmentPlan(ETHERNET, 0, 0, 0, 0, true, NEVER, 0);
    }

    /** The plan of a seed. */
    public static SegmentPlan of(SimRandom random) {
        return new SegmentPlan(
                random.pick(536, ETHERNET, ETHERNET, 8_948, LARGEST),
                random.pick(0, 2, 3, 8, 30),
                random.pick(1, 20, 300, 3_000) * MICROSECOND,
                random.pick(0, 2, 5, 20),
                random.pick(0, 2, 5),
                random.oneIn(2),
                NEVER,
                0);
    }

    /** One segment of each direction is late; all others are in order. */
    public SegmentPlan withLate(long atByte, long ns) {
        return new SegmentPlan(segmentBytes, holdOneIn, maxHoldNs, repeatOneIn, mergeOneIn, keeps, atByte, ns);
    }

    public SegmentPlan withSegmentBytes(int bytes) {
        return new SegmentPlan(bytes, holdOneIn, maxHoldNs, repeatOneIn, mergeOneIn, keeps, lateAtByte, lateNs);
    }
}
