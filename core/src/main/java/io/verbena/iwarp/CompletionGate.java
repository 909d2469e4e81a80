package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * Delays the completion of work whose frames were handed to the stream, in two cases:
 *
 * <ul>
 *   <li>The stream accepted the last unit only in part, and the connection's tail holds the rest. The rest may never leave: an
 *       INLINE program polls only until its work is complete.
 *   <li>The work left after the peer's FIN. A peer whose process has died, or that closed both directions, answers with a
 *       reset, which this side notices only when it writes again.
 * </ul>
 */
final class CompletionGate {

    /**
     * How long a reset may contradict work that left after the peer's FIN. It is longer than a round trip, and delays only
     * connections whose peer closes while work is on its way to it.
     */
    private static final long CONTRADICTION_NS = 25_000_000;

    private boolean tailPending;
    private long tailSendIndex;
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
        return tailPending ? tailSendIndex : sent;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, sentAfterFin ? checkAtNs : 0);
        return Digest.mix(d, (tailPending ? tailSendIndex + 1 : 0) * 2 + (peerEnded ? 1 : 0));
    }
}
