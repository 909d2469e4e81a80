package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.wire.Ulpdu;

/**
 * Detects a peer that has disappeared. If nothing was received for half the bound, this side sends a probe: a Read Request of
 * length zero, which any peer in RDMA mode answers without its application. If nothing was received for the whole bound, the
 * peer is lost.
 *
 * <p>A short message that is taken where it is polled comes without the time. It counts as received at the next look,
 * of which there are eight in half the bound: a peer that disappears after it is found up to a sixteenth of the bound
 * later.
 *
 * <p>The second half of the bound consists of steps, each of which counts once, however long it took. A machine that was
 * suspended, or a process that was stopped, therefore does not mistake its own absence for the peer's.
 *
 * <p>A shorter silence can be watched for: one that follows bytes of the peer, or frames of this side. It has as many
 * steps, and a probe in its middle.
 */
public final class KeepAlive {

    private static final int STEPS = 4;

    /** Looks in half the bound for what has come without the time. */
    private static final int LOOKS = 8;

    private final StreamState state;
    private long quietNs;
    private long stepNs;
    private long lookNs;
    private long receivedNs;
    private boolean heard;
    private long nextNs;
    private int steps;
    private boolean on;
    private boolean due;
    private boolean outstanding;
    private int msn;

    /** A quarter of the silence that is suspicious; 0 if none is. */
    private long watchStepNs;

    private boolean watching;
    private int watchSteps;
    private long watchNextNs;

    KeepAlive(StreamState state) {
        this.state = state;
    }

    /** Starts. A bound of 0 means none. */
    void start(long boundNs, long nowNs) {
        on = boundNs > 0;
        quietNs = Math.max(1, boundNs / 2);
        stepNs = Math.max(1, (boundNs - quietNs) / STEPS);
        lookNs = quietNs;
        receivedNs = nowNs;
        nextNs = Times.after(nowNs, quietNs);
    }

    /** Watches for a shorter silence as well; 0 if none is suspicious. */
    void suspectAfter(long boundNs, long nowNs) {
        watchStepNs = boundNs == 0 ? 0 : Math.max(1, boundNs / STEPS);
        watch(nowNs);
    }

    private void watch(long nowNs) {
        watching = watchStepNs > 0;
        watchSteps = 0;
        watchNextNs = Times.after(nowNs, watchStepNs);
    }

    /** A frame of this side has left, which the peer will answer in some way. */
    void onFrameSent(long nowNs) {
        if (watchStepNs > 0 && !watching) {
            watch(nowNs);
        }
    }

    /** Whether the shorter silence lasts. */
    boolean suspected() {
        return watching && watchSteps >= STEPS;
    }

    /** From now on some of what arrives comes without the time. */
    void hearsWithoutTime(long nowNs) {
        lookNs = Math.max(1, quietNs / LOOKS);
        nextNs = Times.earlier(nextNs, Times.after(nowNs, lookNs));
    }

    boolean on() {
        return on;
    }

    /** Bytes of the peer arrived. */
    void onReceived(long nowNs) {
        receivedNs = nowNs;
        steps = 0;
        due = false;
        watching = watchStepNs > 0;
        watchSteps = 0;
    }

    /** Bytes of the peer arrived since the last look. */
    void onHeard() {
        heard = true;
        steps = 0;
        due = false;
        watching = watchStepNs > 0;
        watchSteps = 0;
    }

    /** Whether a probe must be sent. */
    boolean probeDue() {
        return due;
    }

    /** The probe has left with this message number. */
    void onSent(int newMsn) {
        due = false;
        outstanding = true;
        msn = newMsn;
    }

    /** Whether a probe has left and is not answered. */
    boolean probeOutstanding() {
        return outstanding;
    }

    /** Whether this Read Response answers the probe and no work. */
    boolean isAnswer(Ulpdu u, int sinkStag, OutstandingReads reads) {
        if (!outstanding || u.payloadLength() != 0 || !u.last() || u.stag() != sinkStag) {
            return false;
        }
        // RFC 5040 section 5.5: responses arrive in the order of the requests, so no earlier Read may be unanswered.
        long read = reads.oldestRead();
        boolean inOrder = read == OutstandingReads.NONE || reads.msnOf(read) - msn > 0;
        return inOrder && u.to() == RequestFrames.sinkTo(msn);
    }

    /** @param idle whether nothing of this side is to be answered now: then the peer may be silent for longer */
    void onAnswered(boolean idle) {
        outstanding = false;
        watching &= !idle;
    }

    long nextDeadlineNs() {
        boolean active = on && state.maySend() && !state.ended();
        return active ? watching ? Times.earlier(nextNs, watchNextNs) : nextNs : Times.NEVER;
    }

    /** The deadline may have passed. Returns true when the peer is lost. */
    boolean onDeadline(long nowNs, boolean memoryAwaited) {
        if (!Times.due(nextDeadlineNs(), nowNs)) {
            return false;
        }
        if (heard) {
            heard = false;
            receivedNs = nowNs;
        }
        if (watching && Times.due(watchNextNs, nowNs)) {
            watchOn(nowNs, memoryAwaited);
        }
        if (!Times.due(nextNs, nowNs)) {
            return false;
        }
        long quietUntilNs = Times.after(receivedNs, quietNs);
        if (steps == 0 && !Times.due(quietUntilNs, nowNs)) {
            nextNs = Times.earlier(quietUntilNs, Times.after(nowNs, lookNs));
            return false;
        }
        nextNs = Times.after(nowNs, stepNs);
        if (memoryAwaited) {
            // This side waits for memory and does not read from the stream; the peer may have sent something.
            return false;
        }
        due |= steps == 0;
        return steps++ == STEPS;
    }

    /** A step of the shorter silence is over. */
    private void watchOn(long nowNs, boolean memoryAwaited) {
        long heardNs = Times.after(receivedNs, watchStepNs);
        if (watchSteps == 0 && !Times.due(heardNs, nowNs)) {
            watchNextNs = heardNs;
            return;
        }
        watchNextNs = Times.after(nowNs, watchStepNs);
        if (memoryAwaited) {
            return;
        }
        watchSteps++;
        due |= watchSteps == STEPS / 2 && !outstanding;
    }

    long stateDigest(long digest) {
        if (!on) {
            return digest;
        }
        long d = Digest.mix(Digest.mix(digest, steps), Digest.flags(heard, due, outstanding, watching));
        d = watching ? Digest.mix(Digest.mix(d, watchSteps), watchNextNs) : d;
        return Digest.mix(Digest.mix(Digest.mix(d, outstanding ? msn : 0), receivedNs), nextNs);
    }
}
