package io.verbena.tools.impair;

/** What a rule has done. */
final class RuleFigures {

    private final String rule;
    private final long sinceNs;
    private long untilNs = -1;

    long matched;
    long lost;
    long delayed;
    long reordered;
    long duplicated;
    long corrupted;
    long trimmed;
    long marked;

    /** Packets that should have been corrupted, trimmed or marked, and have no content, no payload, or no ECN. */
    long unfit;

    /** A rule in effect; times are durations since the first packet. */
    RuleFigures(String rule, long sinceNs) {
        this.rule = rule;
        this.sinceNs = sinceNs;
    }

    String rule() {
        return rule;
    }

    long sinceNs() {
        return sinceNs;
    }

    /** When it ended; -1 while it is in effect. */
    long untilNs() {
        return untilNs;
    }

    void ended(long atNs) {
        untilNs = atNs;
    }
}
