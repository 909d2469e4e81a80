package io.verbena.port;

/**
 * What goes wrong on a stream. Start from {@link #none()}. Offsets count the bytes of each direction by itself, so that a
 * seed's decisions depend on what is sent and not on when.
 *
 * @param maxPieceBytes reads and writes are torn into pieces of 1 to this many bytes; 0 leaves them whole
 * @param holdOneIn after one of so many pieces the direction is held up; 0 for never
 * @param maxHoldNs longest hold-up
 * @param flipOneIn one of so many bytes, on average, gets a bit flipped; 0 for never
 * @param killAfterBytes the stream breaks when a direction has passed so many bytes; negative for never
 * @param stallAfterBytes a direction says nothing any more after so many bytes; negative for never
 */
public record FaultPlan(
        int maxPieceBytes, int holdOneIn, long maxHoldNs, long flipOneIn, long killAfterBytes, long stallAfterBytes) {

    /** Checks the ranges. */
    public FaultPlan {
        if (maxPieceBytes < 0 || holdOneIn < 0 || maxHoldNs < 0 || flipOneIn < 0) {
            throw new IllegalArgumentException("sizes, times and frequencies of faults must not be negative");
        }
    }

    /** Nothing goes wrong. */
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
