package io.verbena.port.faults;

import io.verbena.base.Digest;

/** The faults of one direction of a stream: decisions of one seed, based on the number of bytes passed. */
final class FaultyDirection {

    static final long NEVER = Long.MAX_VALUE;

    private final FaultPlan plan;
    private final long seed;
    private long drawn;
    private long passed;
    private int piece;
    private long flipAt;

    private boolean held;
    private long heldUntilNs;

    FaultyDirection(FaultPlan plan, long seed) {
        this.plan = plan;
        this.seed = seed;
        piece = drawPiece();
        flipAt = drawFlip();
    }

    private int draw(long bound) {
        long bits = Digest.mix(seed, ++drawn) >>> 33;
        return (int) ((bits * Math.min(bound, Integer.MAX_VALUE)) >>> 31);
    }

    private int drawPiece() {
        return plan.maxPieceBytes() == 0 ? Integer.MAX_VALUE : 1 + draw(plan.maxPieceBytes());
    }

    /** Uniform in twice the distance, so that the mean is the requested value. */
    private long drawFlip() {
        return plan.flipOneIn() == 0 ? NEVER : passed + draw(2 * plan.flipOneIn());
    }

    /** Whether the stream must break before another byte passes. */
    boolean killed() {
        return plan.killAfterBytes() >= 0 && passed >= plan.killAfterBytes();
    }

    boolean stalled() {
        return plan.stallAfterBytes() >= 0 && passed >= plan.stallAfterBytes();
    }

    /** Whether no byte may pass now. */
    boolean held(long nowNs) {
        held = held && heldUntilNs - nowNs > 0;
        return held;
    }

    long heldUntilNs() {
        return heldUntilNs;
    }

    /**
     * Maximum number of the remaining bytes that may pass in one call; the stream is neither killed nor stalled nor
     * held.
     */
    int allow(int remaining) {
        long most = Math.min(remaining, piece);
        if (plan.killAfterBytes() >= 0) {
            most = Math.min(most, plan.killAfterBytes() - passed);
        }
        if (plan.stallAfterBytes() >= 0) {
            most = Math.min(most, plan.stallAfterBytes() - passed);
        }
        return (int) most;
    }

    /** The index of the byte within the next {@code count} bytes in which a bit is flipped, or -1. */
    int flipWithin(int count) {
        return flipAt - passed < count ? (int) (flipAt - passed) : -1;
    }

    /** The mask of the flipped bit. */
    int flipMask() {
        return 1 << (int) (Digest.mix(seed, ~flipAt) >>> 61);
    }

    /** Records that bytes have passed, including the flipped one if it was among them. */
    void onPassed(int count, long nowNs) {
        passed += count;
        if (passed > flipAt) {
            flipAt = drawFlip();
        }
        if (count >= piece || plan.maxPieceBytes() == 0) {
            piece = drawPiece();
            if (plan.holdOneIn() > 0 && draw(plan.holdOneIn()) == 0) {
                held = true;
                heldUntilNs = nowNs + draw(plan.maxHoldNs() + 1);
            }
        } else {
            piece -= count; // the remainder of a piece: timing must not change how the stream is split
        }
    }
}
