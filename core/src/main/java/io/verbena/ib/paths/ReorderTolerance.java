package io.verbena.ib.paths;

import io.verbena.base.Digest;

/**
 * How long packets of a path may overtake each other, in quarters of its shortest round trip (RFC 8985 section 6.2).
 */
final class ReorderTolerance {

    private static final int FIRST = 1;
    private static final int MOST = 64;

    /** Packets answered without a needless repetition after which the tolerance is halved. */
    private static final int CALM_PACKETS = 4_096;

    private int quarters = FIRST;
    private int calm;

    int quarters() {
        return quarters;
    }

    /** A packet was sent again needlessly: the tolerance is doubled. */
    void needless() {
        quarters = Math.min(MOST, 2 * quarters);
        calm = 0;
    }

    /** A packet was answered. */
    void answered() {
        if (++calm >= CALM_PACKETS) {
            calm = 0;
            quarters = Math.max(FIRST, quarters / 2);
        }
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, (long) quarters << 32 | calm);
    }
}
