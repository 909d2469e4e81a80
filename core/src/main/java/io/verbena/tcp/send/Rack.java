package io.verbena.tcp.send;

import io.verbena.base.Times;
import io.verbena.tcp.segment.Sequence;
import io.verbena.wire.ip.TcpOptionReader;

/**
 * Loss detection by time: RACK (RFC 8985 section 6). A segment is lost if one that was sent sufficiently later was delivered.
 *
 * <pre>
 *   sent:       1      2      3      4                     time --->
 *                      x                        acknowledged: 3
 *                      |------ RTT of 3 + reordering window ------|  then 2 is lost
 * </pre>
 *
 * <p>The reordering window is what makes a TCP usable on a path that reorders: 0 until reordering was seen (then the third
 * duplicate counts at once, as in RFC 6675), a quarter of the smallest round-trip time after that, and more with each round trip in
 * which the peer reported duplicates (D-SACK), because a duplicate means that a retransmission was unnecessary.
 */
final class Rack {

    private static final int DUPLICATE_THRESHOLD = 3;
    private static final int PERSIST_ROUNDS = 16;

    private boolean any;
    private long sentNs;
    private long end;
    private long rttNs;
    private long highest;
    private boolean reorderingSeen;
    private int multiplier = 1;
    private int persist;
    private long roundEnd;

    /** A record was delivered. */
    void onDelivered(long to, long recordSentAtNs, boolean sentOnce, long leastRttNs, long nowNs) {
        long measuredNs = nowNs - recordSentAtNs;
        // RFC 8985 section 6.2, step 2: such an acknowledgment is for the first transmission.
        if (!sentOnce && measuredNs < leastRttNs && leastRttNs != Long.MAX_VALUE) {
            return;
        }
        if (to > highest) {
            highest = to;
        } else if (sentOnce) {
            reorderingSeen = true;
        }
        if (!any || sentAfter(recordSentAtNs, to, sentNs, end)) {
            any = true;
            sentNs = recordSentAtNs;
            end = to;
            rttNs = measuredNs;
        }
    }

    /** Whether the first SACK block reports a duplicate (RFC 2883 section 4): it is acknowledged, or part of the second one. */
    boolean isDuplicate(TcpOptionReader options, long left, long right, long acknowledged) {
        return right <= acknowledged
                || options.blocks() > 1
                        && left >= Sequence.unwrap(acknowledged, options.left(1))
                        && right <= Sequence.unwrap(acknowledged, options.right(1));
    }

    /**
     * The peer has reported a duplicate (RFC 8985 section 6.2, step 4); at most one per round trip counts.
     *
     * @param ofRepetition a segment was repeated that was only late, which shows reordering as well as its delivery before that would have
     */
    void onDuplicate(long acknowledged, long next, boolean ofRepetition) {
        reorderingSeen |= ofRepetition;
        if (acknowledged >= roundEnd) {
            roundEnd = next;
            multiplier = Math.min(multiplier + 1, 64);
            persist = PERSIST_ROUNDS;
        }
    }

    /** A recovery has ended. */
    void onRecovered() {
        if (persist > 0 && --persist == 0) {
            multiplier = 1;
        }
    }

    /** The last retransmission was not the one that was acknowledged. */
    void forget() {
        any = false;
    }

    private static boolean sentAfter(long aAtNs, long aEnd, long bAtNs, long bEnd) {
        long later = aAtNs - bAtNs;
        return later > 0 || later == 0 && aEnd > bEnd;
    }

    private long windowNs(boolean recovering, long sackedBytes, int segmentBytes, RttEstimator rtt) {
        if (!reorderingSeen && (recovering || sackedBytes >= (long) DUPLICATE_THRESHOLD * segmentBytes)) {
            return 0;
        }
        long leastNs = rtt.leastNs() == Long.MAX_VALUE ? rttNs : rtt.leastNs();
        return Math.min(multiplier * (leastNs / 4), Math.max(rtt.smoothedNs(), leastNs));
    }

    /**
     * Regards as lost what was sent sufficiently long before a delivered segment.
     *
     * @return when to check again, or {@link Times#NEVER}
     */
    long detect(SentSegments sent, boolean recovering, int segmentBytes, RttEstimator rtt, long nowNs) {
        if (!any) {
            return Times.NEVER;
        }
        long allowedNs = rttNs + windowNs(recovering, sent.sackedBytes(), segmentBytes, rtt);
        for (int first = sent.oldest(); first != SentSegments.NONE; first = sent.oldest()) {
            if (!sentAfter(sentNs, end, sent.sentNs(first), sent.to(first))) {
                break; // this and all later ones were sent after the delivered segment
            }
            long dueNs = sent.sentNs(first) + allowedNs;
            if (!Times.due(dueNs, nowNs)) {
                return dueNs; // all later ones are due later
            }
            sent.lose(first);
        }
        return Times.NEVER;
    }
}
