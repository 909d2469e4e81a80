package io.verbena.files;

import java.time.Duration;

/**
 * The time that a peer has for an answer. A wait looks at it after each slice, and each look counts as two slices at most: a process that
 * was stopped, or had no processor, does not take its own absence for that of the peer.
 */
final class Patience {

    /** The longest wait between two looks. */
    static final Duration SLICE = Duration.ofMillis(200);

    private static final long MOST_NS = 2 * SLICE.toNanos();

    private long leftNs;
    private long lookedNs;

    Patience(long longestNs, long nowNs) {
        leftNs = longestNs;
        lookedNs = nowNs;
    }

    /** The time that is left now; 0 or less if it is over. */
    long leftNs(long nowNs) {
        leftNs -= Math.min(nowNs - lookedNs, MOST_NS);
        lookedNs = nowNs;
        return leftNs;
    }
}
