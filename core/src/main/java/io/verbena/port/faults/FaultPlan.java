package io.verbena.port.faults;

/**
 * The faults of a stream. Start from {@link #none()}. Offsets count the bytes of each direction separately, so that the
 * decisions of a seed depend on the data and not on the timing.
 *
 * @param maxPieceBytes reads and writes are split into pieces of 1 to this many bytes; 0 leaves them whole
 * @param holdOneIn the direction is delayed after one in this many pieces; 0 disables delays
 * @param maxHoldNs maximum delay
 * @param flipOneIn one bit is flipped in one of this many bytes, on average; 0 disables flips
 * @param killAfterBytes the stream breaks when a direction has passed this many bytes; negative disables it
 * @param stallAfterBytes a direction passes no more bytes after this many; negative disables it
 */
public record FaultPlan(
        int maxPieceBytes, int holdOneIn, long maxHoldNs, long flipOneIn, long killAfterBytes, long stallAfterBytes) {

    /** Checks the ranges. */
    public FaultPlan {
        if (maxPieceBytes < 0 || holdOneIn < 0 || maxHoldNs < 0 || flipOneIn < 0) {
            throw new IllegalArgumentException("maxPieceBytes, holdOneIn, maxHoldNs and flipOneIn must be 0 or more");
        }
    }

    /** No faults. */
    public static FaultPlan none() {
        return new FaultPlan(0, 0, 0, 0, -1, -1);
    }

    public FaultPlan withPieces(int maxBytes) {
        return new FaultPlan(maxBytes, holdOneIn, maxHoldNs, flipOneIn, killAfterBytes, stallAfterBytes);
    }

    public FaultPlan withHolds(int oneIn, long maxNs) {
        return new FaultPlan(maxPieceBytes, oneIn, maxNs, flipOneIn, killAfterBytes, stallAfterBytes);
    }

    public FaultPlan withFlips(long oneInBytes) {
        return new FaultPlan(maxPieceBytes, holdOneIn, maxHoldNs, oneInBytes, killAfterBytes, stallAfterBytes);
    }

    public FaultPlan withKillAfter(long bytes) {
        return new FaultPlan(maxPieceBytes, holdOneIn, maxHoldNs, flipOneIn, bytes, stallAfterBytes);
    }

    public FaultPlan withStallAfter(long bytes) {
        return new FaultPlan(maxPieceBytes, holdOneIn, maxHoldNs, flipOneIn, killAfterBytes, bytes);
    }
}
