package io.verbena.verbs;

import java.time.Duration;

/**
 * Attributes of an offer of a segment to other processes.
 *
 * @param writable whether they may write to the segment
 * @param lifetime time in which the token can be used, more than 0; it does not end what was opened until then
 * @param maxOpenings number of times that the token can be used, 1 to 1024
 */
public record SegmentOfferOptions(boolean writable, Duration lifetime, int maxOpenings) {

    /** Checks the ranges. */
    public SegmentOfferOptions {
        if (lifetime.isZero() || lifetime.isNegative() || lifetime.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException(
                    "the lifetime of a token must be more than 0 and at most 365 days, not " + lifetime);
        }
        if (maxOpenings < 1 || maxOpenings > 1024) {
            throw new IllegalArgumentException("maxOpenings must be 1 to 1024, not " + maxOpenings);
        }
    }

    /** Read-only, for one opening within a minute. */
    public static SegmentOfferOptions defaults() {
        return new SegmentOfferOptions(false, Duration.ofMinutes(1), 1);
    }

    public SegmentOfferOptions withWritable(boolean value) {
        return new SegmentOfferOptions(value, lifetime, maxOpenings);
    }

    public SegmentOfferOptions withLifetime(Duration value) {
        return new SegmentOfferOptions(writable, value, maxOpenings);
    }

    public SegmentOfferOptions withMaxOpenings(int value) {
        return new SegmentOfferOptions(writable, lifetime, value);
    }
}
