package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.wire.Ulpdu;

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
    private boolean out;
    private int msn;

    KeepAlive(Conversation talk) {
        this.talk = talk;
    }

    /** Begins; a bound of 0 is none. */
    void start(long boundNs, long nowNs) {
        on = boundNs > 0;
        quietNs = Math.max(1, boundNs / 2);
        stepNs = Math.max(1, (boundNs - quietNs) / STEPS);
        heardNs = nowNs;
        nextNs = Times.after(nowNs, quietNs);
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

    /** It went out, with this message number. */
    void sent(int newMsn) {
        wanted = false;
        out = true;
        msn = newMsn;
    }

    /** Whether one is out and not answered. */
    boolean out() {
        return out;
    }

    /** Message number of the one that is out. */
    int msn() {
        return msn;
    }

    /** Whether this Read Response answers the probe: a Read of nothing that no work of ours asked for. */
    boolean isAnswer(Ulpdu u, int sinkStag, OutstandingReads outstanding) {
        if (!out || u.payloadLength() != 0 || !u.last() || u.stag() != sinkStag) {
            return false;
        }
        // RFC 5040 section 5.5: answers come in the order of the requests, so no Read before it may be open.
        long read = outstanding.oldest(false);
        boolean inOrder = read == OutstandingReads.NONE || outstanding.msnOf(read) - msn > 0;
        return inOrder && u.to() == RequestFrames.sinkTo(msn);
    }

    void answered() {
        out = false;
    }

    long nextDeadlineNs() {
        return on && talk.maySend() && !talk.ended() ? nextNs : Times.NEVER;
    }

    /** Time has passed; true when the peer is lost. */
    boolean onDeadline(long nowNs, boolean weAreWaiting) {
        if (!Times.due(nextDeadlineNs(), nowNs)) {
            return false;
        }
        long quietUntilNs = Times.after(heardNs, quietNs);
        if (steps == 0 && !Times.due(quietUntilNs, nowNs)) {
            nextNs = quietUntilNs;
            return false;
        }
        nextNs = Times.after(nowNs, stepNs);
        if (weAreWaiting) {
            // Memory of ours is awaited, so that we do not listen: that is not the peer's fault.
            return false;
        }
        wanted |= steps == 0;
        return steps++ == STEPS;
    }

    long stateDigest(long digest) {
        return on ? Digest.mix(digest, (long) steps << 2 | (wanted ? 1 : 0) | (out ? 2 : 0)) : digest;
    }
}
