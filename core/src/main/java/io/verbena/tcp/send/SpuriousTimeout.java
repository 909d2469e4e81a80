package io.verbena.tcp.send;

/**
 * Finds out whether a retransmission timeout was spurious: the acknowledgments were late, and nothing was lost (F-RTO with SACK, RFC
 * 5682 section 3.1).
 *
 * <pre>
 *           timeout: the first segment again           acknowledged: new data instead of further repetitions
 *   NONE ----------------------------------> REPEATED ------------------------------------------------------> TESTING
 *     ^                                                                                                          |
 *     +--- spurious: what was sent before the timeout and not repeated is acknowledged; otherwise it was a loss -+
 * </pre>
 */
final class SpuriousTimeout {

    private static final int MOST_NEW = 2;

    private enum Phase {
        NONE,
        REPEATED,
        TESTING
    }

    private Phase phase = Phase.NONE;
    private long end;
    private long threshold;
    private int newSegments;

    /**
     * The timer has expired.
     *
     * @param next the next sequence number
     * @param previousThreshold to return to if the timeout was spurious
     */
    void begin(long next, long previousThreshold) {
        phase = Phase.REPEATED;
        end = next;
        threshold = previousThreshold;
    }

    void stop() {
        phase = Phase.NONE;
    }

    /** What was sent before the timeout ends here. */
    long end() {
        return end;
    }

    /** The slow start threshold before the timeout. */
    long threshold() {
        return threshold;
    }

    /** Whether segments that wait to be sent again wait for the result. */
    boolean testing() {
        return phase == Phase.TESTING;
    }

    /** Whether new data may be sent. */
    boolean permitsNew() {
        return phase != Phase.TESTING || newSegments < MOST_NEW;
    }

    void onNewSent() {
        newSegments++;
    }

    /**
     * An acknowledgment has arrived.
     *
     * @param advanced whether it acknowledges new data cumulatively, up to {@code una}
     * @param original whether it acknowledges data that was sent before the timeout and only once
     * @param newData whether there is new data that may be sent
     * @return whether the timeout was spurious
     */
    boolean onAck(boolean advanced, long una, boolean original, boolean newData) {
        Phase before = phase;
        if (before == Phase.REPEATED && advanced) {
            phase = una < end && newData ? Phase.TESTING : Phase.NONE;
            newSegments = 0;
        } else if (before == Phase.TESTING) {
            phase = Phase.NONE;
        }
        return before == Phase.TESTING && original;
    }
}
