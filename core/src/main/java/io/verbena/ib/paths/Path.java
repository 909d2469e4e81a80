package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.PathState;

/** One path of a requester: its state, its round trip, and the ends of the list of its packets in flight. */
final class Path {

    /** The round trip is not known yet. */
    static final long UNKNOWN = Long.MAX_VALUE;

    /** The weight of a new round trip in the average, and of a new deviation, as shifts (RFC 6298 section 2). */
    private static final int AVERAGE_SHIFT = 3;

    private static final int DEVIATION_SHIFT = 2;

    /** Shortest silence after which a path is suspected: shorter ones are delays of processes, not of paths. */
    private static final long LEAST_SILENCE_NS = 200_000;

    /** Least tolerance for reordering: what the receiving thread may take in another order. */
    private static final long LEAST_TOLERANCE_NS = 50_000;

    /** Time after which a longer route is no delay any more. */
    private static final long PERIOD_NS = 10_000_000_000L;

    /** Packets after which the share of lost ones is examined. */
    private static final int SAMPLE = 64;

    /** A path that loses at least this part of its packets, 1 / 4, is lossy. */
    private static final int LOSSY_PART = 4;

    /** The longest time for an answer is 2 to the power of this times the first. */
    private static final int MOST_DOUBLINGS = 8;

    final int number;
    PathState state = PathState.ACTIVE;

    private long smoothNs;
    private long deviationNs;
    private long latestNs;
    private long shortestNs = UNKNOWN;

    /** The shortest round trip of the last two periods, and of this one. */
    private long baseNs = UNKNOWN;

    private long periodNs = UNKNOWN;
    private long periodEndsNs;

    /** Number of the next transmission on this path, and of the latest one that was answered. */
    int nextTurn;

    int answeredTurn = -1;

    /** Slots of the oldest and the youngest packet in flight, see {@link InFlight}. */
    int head = InFlight.NONE;

    int tail = InFlight.NONE;
    int inFlight;

    /** When a packet of the path was answered last, if one was. */
    private long heardNs;

    private boolean heard;

    // Probes.
    boolean questionDue;
    long nonce;
    boolean questionOpen;
    long questionEndsNs;
    private long questionSentNs;
    long pauseEndsNs;
    int doublings;
    int answersInRow;

    /** The question among the transmissions. */
    private int turnAtQuestion;

    private int sampled;
    private int sampledLost;

    // Figures, read by any thread.
    long bytes;
    private long losses;
    long marks;

    Path(int number) {
        this.number = number;
    }

    /** Adds a round trip. */
    void measured(long roundTripNs) {
        latestNs = roundTripNs;
        if (shortestNs == UNKNOWN) {
            smoothNs = roundTripNs;
            deviationNs = roundTripNs / 2;
        } else {
            deviationNs += Math.abs(smoothNs - roundTripNs) - deviationNs >> DEVIATION_SHIFT;
            smoothNs += roundTripNs - smoothNs >> AVERAGE_SHIFT;
        }
        shortestNs = Math.min(shortestNs, roundTripNs);
    }

    /** Adds a round trip, and returns the shortest one of the last 10 to 20 s: what is longer waits in queues. */
    long baseNs(long roundTripNs, long nowNs) {
        if (periodNs == UNKNOWN) {
            periodEndsNs = Times.after(nowNs, PERIOD_NS);
        } else if (Times.due(periodEndsNs, nowNs)) {
            periodEndsNs = Times.after(nowNs, PERIOD_NS);
            baseNs = periodNs;
            periodNs = UNKNOWN;
        }
        periodNs = Math.min(periodNs, roundTripNs);
        baseNs = Math.min(baseNs, periodNs);
        return baseNs;
    }

    boolean known() {
        return shortestNs != UNKNOWN;
    }

    /** The average round trip, or {@link #UNKNOWN}. */
    long roundTripNs() {
        return known() ? smoothNs : UNKNOWN;
    }

    /**
     * How much the path has to do: its packets under way, by the time that each takes.
     *
     * @param unknownNs the round trip of a path that has never answered
     */
    long load(long unknownNs) {
        return inFlight * (known() ? smoothNs : unknownNs);
    }

    /** The shortest round trip, or {@link #UNKNOWN}. */
    long shortestNs() {
        return shortestNs;
    }

    /**
     * Time after which a packet is lost if a later one of this path was answered: a round trip, and the tolerance for
     * packets that overtake each other on the path.
     *
     * @param toleranceQuarters tolerance in quarters of the shortest round trip; at most a round trip is granted, or
     * 50 us
     */
    long lossNs(int toleranceQuarters, long initialNs) {
        if (!known()) {
            return initialNs;
        }
        long tolerance = Math.min(smoothNs, shortestNs / 4 * toleranceQuarters);
        return Math.max(latestNs, smoothNs) + Math.max(LEAST_TOLERANCE_NS, tolerance);
    }

    /** Time without an answer after which the path is suspected. */
    long silenceNs(long initialNs) {
        return known() ? Math.max(LEAST_SILENCE_NS, 2 * smoothNs + 4 * deviationNs) : initialNs;
    }

    /**
     * Time for the answer to a question: less than the usual silence for a suspected path, since a question waits for
     * no acknowledgement. A retired path that works again may be longer than it was.
     */
    private long answerNs(long initialNs) {
        return known() && state == PathState.SUSPECT
                ? Math.max(LEAST_SILENCE_NS, smoothNs + smoothNs / 2 + 4 * deviationNs)
                : silenceNs(initialNs);
    }

    /** Counts a packet that arrived or was lost. Returns whether too many of the last ones were lost. */
    boolean lossy(boolean lost) {
        losses += lost ? 1 : 0;
        sampledLost += lost ? 1 : 0;
        if (++sampled < SAMPLE) {
            return false;
        }
        boolean many = sampledLost * LOSSY_PART >= SAMPLE;
        sampled = 0;
        sampledLost = 0;
        return many;
    }

    /** The path has answered something that was sent as this transmission or after it. */
    void heard(int turn, long nowNs) {
        heard = true;
        heardNs = nowNs;
        if (answeredTurn - turn < 0) {
            answeredTurn = turn;
        }
    }

    /** The later of two times: that of the last answer, and another one. */
    long sinceNs(long sentNs) {
        return heard && heardNs - sentNs > 0 ? heardNs : sentNs;
    }

    /** The question was sent. */
    void asked(long value, long nowNs, long initialNs) {
        nonce = value;
        turnAtQuestion = nextTurn++;
        questionDue = false;
        questionOpen = true;
        questionSentNs = nowNs;
        // The pauses between the questions to a retired path grow as well: it is used again within 20 round trips.
        int shift = state == PathState.PROBING ? doublings / 2 : Math.min(doublings, MOST_DOUBLINGS);
        questionEndsNs = Times.after(nowNs, answerNs(initialNs) << shift);
    }

    /** Whether the question was sent before a time. */
    boolean askedBefore(long timeNs) {
        return questionSentNs - timeNs < 0;
    }

    /** The question was answered. What was sent before it, and has arrived, was answered as well. */
    void questionAnswered(long nowNs) {
        questionOpen = false;
        if (!known()) {
            measured(nowNs - questionSentNs);
        }
        heard(turnAtQuestion, nowNs);
    }

    /** Begins to ask whether the path works. */
    void ask() {
        questionDue = true;
        questionOpen = false;
    }

    /** Ends the probes in progress. */
    void stopAsking() {
        questionDue = false;
        questionOpen = false;
        answersInRow = 0;
    }

    /** When something must be done about the probes of this path, or {@link Times#NEVER}. */
    long probeDeadlineNs() {
        if (state == PathState.RETIRED) {
            return pauseEndsNs;
        }
        return questionOpen ? questionEndsNs : Times.NEVER;
    }

    /** What is known about the path. Any thread. */
    ConnectionPath figures() {
        return new ConnectionPath(number, state, known() ? smoothNs : -1, bytes, losses, marks);
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) state.ordinal() << 32 | nextTurn);
        d = Digest.mix(Digest.mix(d, smoothNs), deviationNs);
        d = Digest.mix(Digest.mix(Digest.mix(d, latestNs), shortestNs), baseNs);
        d = Digest.mix(Digest.mix(Digest.mix(d, periodNs), periodEndsNs), heardNs);
        d = Digest.mix(d, (long) answeredTurn << 32 | inFlight);
        d = Digest.mix(d, (long) head << 32 | tail & 0xffff_ffffL);
        d = Digest.mix(d, (long) sampled << 32 | sampledLost);
        d = Digest.mix(Digest.mix(Digest.mix(d, nonce), questionSentNs), questionEndsNs);
        d = Digest.mix(Digest.mix(d, pauseEndsNs), (long) doublings << 32 | answersInRow << 24 | turnAtQuestion);
        return Digest.mix(d, Digest.flags(heard, questionDue, questionOpen));
    }
}
