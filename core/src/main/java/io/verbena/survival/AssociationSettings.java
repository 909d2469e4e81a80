package io.verbena.survival;

import java.time.Duration;

/**
 * Limits of an association. Both sides agree on the first two when they make the first connection.
 *
 * @param requests maximum number of outstanding requests of one side
 * @param depth maximum number of outstanding Reads and atomics of one side, at most {@link ResumeCodec#MAX_RESULTS}
 * @param attempt maximum time of one attempt to resume
 * @param patience maximum time without a queue pair
 * @param firstPause of an address after its first failure
 * @param longestPause of an address, however often it fails
 */
public record AssociationSettings(
        int requests, int depth, Duration attempt, Duration patience, Duration firstPause, Duration longestPause) {

    /** Checks the depth. */
    public AssociationSettings {
        if (depth < 1 || depth > ResumeCodec.MAX_RESULTS) {
            throw new IllegalArgumentException("depth must be 1 to " + ResumeCodec.MAX_RESULTS + ", not " + depth);
        }
    }

    /** 128 requests, 16 Reads and atomics, attempts of 1 s, 60 s in all, pauses of 10 ms to 1 s. */
    public static AssociationSettings defaults() {
        return new AssociationSettings(
                128, 16, Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMillis(10), Duration.ofSeconds(1));
    }
}
