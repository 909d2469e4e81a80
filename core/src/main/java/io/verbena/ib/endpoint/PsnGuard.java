package io.verbena.ib.endpoint;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.AsyncEventType;

/**
 * Counts packets of one connection whose PSN no correct peer sends: more than 2^20 from the expected one, or an
 * acknowledgement of a PSN that was never sent. A sender that guesses PSNs (ReDMArk, USENIX Security 2021, attacks A1
 * and A2) causes 7 of 8 of its packets to be counted, because it does not know the expected PSN.
 *
 * <p>The event {@link AsyncEventType#PSN_SCAN} reports the first {@value #REPORTED} of them, and each further multiple
 * by 16. The specification requires answers to such packets (half of the PSNs are duplicates, the other half follows a
 * gap); after {@value #BURST} answers at most one per millisecond is sent, so that a connection does not amplify a
 * scan.
 */
public final class PsnGuard {

    public static final int PLAUSIBLE = 1 << 20;
    static final int REPORTED = 256;
    public static final int BURST = 16;

    private static final int REPORT_FACTOR = 16;
    private static final long NS_PER_ANSWER = 1_000_000;

    private final PendingEvents events;
    private long count;
    private long nextReport = REPORTED;
    private int answersLeft = BURST;
    private boolean limited;
    private long nextAnswerNs;

    public PsnGuard(PendingEvents events) {
        this.events = events;
    }

    /** Whether a correct peer may send a packet at this distance from the expected one. */
    public static boolean plausible(int distance) {
        return distance <= PLAUSIBLE && distance >= -PLAUSIBLE;
    }

    /** Counts an implausible packet. Returns whether it may be answered. */
    public boolean onImplausible(long nowNs) {
        count++;
        if (count >= nextReport) {
            nextReport *= REPORT_FACTOR;
            events.raise(AsyncEventType.PSN_SCAN);
        }
        if (answersLeft > 0) {
            answersLeft--;
            return true;
        }
        if (limited && !Times.due(nextAnswerNs, nowNs)) {
            return false;
        }
        limited = true;
        nextAnswerNs = Times.after(nowNs, NS_PER_ANSWER);
        return true;
    }

    /** Number of implausible packets. */
    public long count() {
        return count;
    }

    public long stateDigest(long digest) {
        return Digest.mix(Digest.mix(digest, count << 32 | nextReport), limited ? nextAnswerNs : answersLeft);
    }
}
