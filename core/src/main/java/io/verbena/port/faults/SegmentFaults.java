package io.verbena.port.faults;

/**
 * The faults of arriving segments. Start from {@link #none()}. TCP repairs losses, so a segment can be late, repeated,
 * or cut differently, but not lost. Each frequency means one segment in this many, on average; 0 disables the fault.
 *
 * @param repeatOneIn a part of the segment is delivered again at once
 * @param holdOneIn the segment is delayed, so that later segments overtake it
 * @param maxHoldNs maximum delay
 */
public record SegmentFaults(int repeatOneIn, int holdOneIn, long maxHoldNs) {

    /** Checks the ranges. */
    public SegmentFaults {
        if (repeatOneIn < 0 || holdOneIn < 0 || maxHoldNs < 0) {
            throw new IllegalArgumentException("frequencies and maxHoldNs must be 0 or more");
        }
    }

    /** No faults. */
    public static SegmentFaults none() {
        return new SegmentFaults(0, 0, 0);
    }

    public SegmentFaults withRepeats(int oneIn) {
        return new SegmentFaults(oneIn, holdOneIn, maxHoldNs);
    }

    public SegmentFaults withHolds(int oneIn, long maxNs) {
        return new SegmentFaults(repeatOneIn, oneIn, maxNs);
    }
}
