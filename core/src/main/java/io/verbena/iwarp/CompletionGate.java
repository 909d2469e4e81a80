package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * Delays the completion of work whose frames were handed to the stream, in three cases:
 *
 * <ul>
 *   <li>The stream accepted the last unit only in part, and the connection's tail holds the rest. The rest may never leave: an
 *       INLINE program polls only until its work is complete.
 *   <li>The work left after the peer's FIN. A peer whose process has died, or that closed both directions, answers with a
 *       reset, which this side notices only when it writes again.
 *   <li>The stream lent the payload to the peer, which has not copied it yet. The stream numbers its loans.
 * </ul>
 */
public final class CompletionGate {

    /**
     * How long a reset may contradict work that left after the peer's FIN. It is longer than a round trip, and delays only
     * connections whose peer closes while work is on its way to it.
     */
    private static final long CONTRADICTION_NS = 25_000_000;

    private static final int MOST_LOANS = 32;

    private boolean tailPending;
    private long tailSendIndex;

    /** The loans that are not returned, as a ring: work from an index on waits for a number of the stream. */
    private long[] lentFrom = {};

    private long[] lentUntil = {};
    private int firstLoan;
    private int loans;
    private boolean peerEnded;
    private boolean sentAfterFin;
    private long checkAtNs;

    /** The peer has ended its direction. */
    void onPeerEnded() {
        peerEnded = true;
    }

    boolean peerEnded() {
        return peerEnded;
    }

    /** A unit of work has left. */
    void onMessageSent(long nowNs) {
        if (peerEnded) {
            sentAfterFin = true;
            checkAtNs = Times.after(nowNs, CONTRADICTION_NS);
        }
    }

    /** The empty Write that provokes a reset has left, and no reset has arrived for what left before it. */
    void onChecked() {
        sentAfterFin = false;
    }

    /** The tail holds the rest of a unit of this work, or of something before it. */
    void onTailPending(long sendIndex) {
        tailPending = true;
        tailSendIndex = sendIndex;
    }

    /** The tail has left. */
    void onTailSent(long nowNs) {
        tailPending = false;
        if (sentAfterFin) {
            checkAtNs = Times.after(nowNs, CONTRADICTION_NS);
        }
    }

    /** Work from this send index on waits until this loan of the stream, or a later one, is returned. */
    void onLent(long sendIndex, long loan) {
        if (lentFrom.length == 0) {
            lentFrom = new long[MOST_LOANS];
            lentUntil = new long[MOST_LOANS];
        }
        if (loans == MOST_LOANS) {
            lentUntil[(firstLoan + loans - 1) % MOST_LOANS] = loan;
            return;
        }
        int at = (firstLoan + loans++) % MOST_LOANS;
        lentFrom[at] = sendIndex;
        lentUntil[at] = loan;
    }

    /** Loans up to this number are returned. */
    void onReturned(long loan) {
        while (loans > 0 && lentUntil[firstLoan] - loan <= 0) {
            firstLoan = (firstLoan + 1) % MOST_LOANS;
            loans--;
        }
    }

    /** The peer does not use what was lent to it. */
    void onWithdrawn() {
        loans = 0;
    }

    /** Whether loans are not returned. */
    boolean lends() {
        return loans > 0;
    }

    /** Whether something left after the peer's FIN that a reset may still contradict. */
    boolean contradictable() {
        return sentAfterFin;
    }

    /** When to send the empty Write that provokes a reset; {@link Times#NEVER} if there is nothing to check. */
    long checkAtNs() {
        return sentAfterFin ? checkAtNs : Times.NEVER;
    }

    /** The first send index that may not complete, if all work before {@code sent} was handed to the stream. */
    long limit(long sent) {
        long limit = tailPending ? tailSendIndex : sent;
        return loans > 0 && lentFrom[firstLoan] - limit < 0 ? lentFrom[firstLoan] : limit;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, sentAfterFin ? checkAtNs : 0);
        for (int i = 0; i < loans; i++) {
            int at = (firstLoan + i) % MOST_LOANS;
            d = Digest.mix(Digest.mix(d, lentFrom[at]), lentUntil[at]);
        }
        return Digest.mix(d, (tailPending ? tailSendIndex + 1 : 0) * 2 + (peerEnded ? 1 : 0));
    }
}
