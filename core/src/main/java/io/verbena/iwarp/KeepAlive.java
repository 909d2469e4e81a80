package io.verbena.iwarp;

import io.verbena.base.Digest;

/**
 * Finds a peer that vanished without a word: when nothing was heard for half the bound a probe goes out, a Read Request of
 * length zero, which any peer in RDMA mode answers without its application; when nothing was heard for the whole bound the
 * peer is lost.
 *
 * <p>The second half of the bound is waited in steps, so that a machine that slept, or a process that was stopped, does not
 * take its own absence for the peer's: a step counts once, however long it took.
 */
final class KeepAlive {

    private static final int STEPS = 4;

    private final Conversation talk;
    private long quietNs;
    private long stepNs;
    private long heardNs;
    private long nextNs;
    private int steps;
    private boolean on;
    private boolean wanted;

    KeepAlive(Conversation talk) {
        this.talk = talk;
    }

    /** Begins; a bound of 0 is none. */
    void start(long boundNs, long nowNs) {
        on = boundNs > 0;
        quietNs = Math.max(1, boundNs / 2);
        stepNs = Math.max(1, (boundNs - quietNs) / STEPS);
        heardNs = nowNs;
        nextNs = nowNs + quietNs;
    }

    boolean on() {
        return on;
    }

    /** Bytes of the peer came. */
    void heard(long nowNs) {
        heardNs = nowNs;
        steps = 0;
        wanted = false;
    }

    /** Whether a probe is to go out. */
    boolean wanted() {
        return wanted;
    }

    /** It went out. */
    void sent() {
        wanted = false;
    }

    long nextDeadlineNs() {
        return on && talk.maySend() && !talk.ended() ? nextNs : Long.MAX_VALUE;
    }

    /** Time has passed; true when the peer is lost. */
    boolean onDeadline(long nowNs, boolean weAreWaiting) {
        if (nextDeadlineNs() == Long.MAX_VALUE || nowNs - nextNs < 0) {
            return false;
        }
        if (steps == 0 && nowNs - heardNs - quietNs < 0) {
            nextNs = heardNs + quietNs;
            return false;
        }
        nextNs = nowNs + stepNs;
        if (weAreWaiting) {
            // Memory of ours is awaited, so that we do not listen: that is not the peer's fault.
            return false;
        }
        wanted |= steps == 0;
        return steps++ == STEPS;
    }

    long stateDigest(long digest) {
        return on ? Digest.mix(digest, (long) steps << 1 | (wanted ? 1 : 0)) : digest;
    }
}
