package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * What of the sent work has really left. Two things keep work from completing although it is framed and was handed over:
 *
 * <ul>
 *   <li>The stream took its last unit in part, and the rest waits in the connection's tail. It may never leave: an INLINE
 *       program polls until its work is complete and not longer.
 *   <li>It left behind the peer's FIN. A peer whose process is gone, or that closed both directions, answers with a reset,
 *       which only another write shows.
 * </ul>
 */
final class Departures {

    /**
     * How long what left behind the peer's FIN may be contradicted by a reset before it counts as done: longer than a round
     * trip, and nobody waits for it but a peer that closes with work on its way to it.
     */
    private static final long CONTRADICTION_NS = 25_000_000;

    private boolean tailAwaited;
    private long tailSend;
    private boolean peerEnded;
    private boolean behindFin;
    private long contradictedByNs;

    /** The peer has ended its direction. */
    void peerEnded() {
        peerEnded = true;
    }

    boolean afterPeersEnd() {
        return peerEnded;
    }

    /** A unit of work has left. */
    void messageLeft(long nowNs) {
        if (peerEnded) {
            behindFin = true;
            contradictedByNs = Times.after(nowNs, CONTRADICTION_NS);
        }
    }

    /** What left behind the FIN has not been contradicted. */
    void checked() {
        behindFin = false;
    }

    /** The rest of a unit of this work, or of something before it, is still here. */
    void tail(long sendIndex) {
        tailAwaited = true;
        tailSend = sendIndex;
    }

    /** The rest has left. */
    void tailLeft(long nowNs) {
        tailAwaited = false;
        if (behindFin) {
            contradictedByNs = Times.after(nowNs, CONTRADICTION_NS);
        }
    }

    /** Whether something left behind the peer's FIN that may still be contradicted. */
    boolean contradictable() {
        return behindFin;
    }

    /** When it is time to see whether it has been, {@link Times#NEVER} if there is nothing to see. */
    long checkAtNs() {
        return behindFin ? contradictedByNs : Times.NEVER;
    }

    /** Index behind the work that may complete, all before {@code sent} having been handed over. */
    long end(long sent) {
        return tailAwaited ? tailSend : sent;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, behindFin ? contradictedByNs : 0);
        return Digest.mix(d, (tailAwaited ? tailSend + 1 : 0) * 2 + (peerEnded ? 1 : 0));
    }
}
