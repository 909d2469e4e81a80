package io.verbena.tcp.send;

import io.verbena.tcp.segment.RangeSet;

/**
 * Finds out whether a fast recovery was unnecessary: nothing was lost, and the segments were only late. A repetition was unnecessary if the peer
 * reports it as a duplicate (D-SACK, RFC 3708 section 3), or if the segment is acknowledged sooner than a round trip after it.
 *
 * <pre>
 *   recovery begins --> repeated ranges --> all unnecessary: the windows before the recovery return
 *                                       \-> two round trips without such a sign: a loss was repaired
 * </pre>
 *
 * <p>The reports of a recovery may arrive after it has ended, and after the next one has begun: that one is then judged together with it.
 */
final class UnneededRepetitions {

    private static final int MOST_RANGES = 256;

    private final RangeSet unreported = new RangeSet(MOST_RANGES);
    private boolean pending;
    private boolean ambiguous;
    private boolean any;
    private long windowBytes;
    private long thresholdBytes;
    private long roundEnd;
    private boolean secondRound;

    /** A recovery begins; the windows are those before it. */
    void begin(long window, long threshold) {
        if (pending) {
            windowBytes = Math.max(windowBytes, window);
            thresholdBytes = Math.max(thresholdBytes, threshold);
            return;
        }
        stop();
        pending = true;
        windowBytes = window;
        thresholdBytes = threshold;
    }

    /** Nothing is judged any more: the retransmission timer has expired. */
    void stop() {
        pending = false;
        ambiguous = false;
        any = false;
        secondRound = false;
        unreported.clear();
    }

    /** A range was sent again; {@code next} is the next new number. */
    void onRepeated(long from, long to, long next) {
        if (!pending) {
            return;
        }
        // RFC 3708 section 3: what is repeated twice cannot be judged.
        ambiguous |= unreported.firstPresent(from, to) < to || !unreported.add(from, to);
        any = true;
        roundEnd = next;
        secondRound = false;
    }

    /** The peer reports a duplicate; returns whether it was one of the repetitions. */
    boolean onDuplicate(long from, long to) {
        boolean repeated = pending && unreported.firstPresent(from, to) < to;
        if (repeated) {
            unreported.remove(from, to);
        }
        return repeated;
    }

    /** The first transmission of a range was delivered: its acknowledgment has come too early for the repetition (RFC 8985 section 6.2, step 2). */
    void onOriginal(long from, long to) {
        if (pending) {
            unreported.remove(from, to);
        }
    }

    /** Everything before this number is acknowledged; {@code next} is the next new number. */
    void onAcknowledged(long acknowledged, long next) {
        if (!pending || !any || acknowledged <= roundEnd) {
            return;
        }
        if (secondRound) {
            stop();
        } else {
            secondRound = true; // the report of a repetition that is late itself arrives in this one
            roundEnd = next;
        }
    }

    /** Whether all repetitions were unnecessary. */
    boolean all() {
        return pending && any && !ambiguous && unreported.count() == 0;
    }

    /** The congestion window before the recovery. */
    long windowBytes() {
        return windowBytes;
    }

    /** The slow start threshold before the recovery. */
    long thresholdBytes() {
        return thresholdBytes;
    }
}
