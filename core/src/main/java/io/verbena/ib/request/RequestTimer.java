package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * The timer of a requester: the RNR timer while the peer is not ready, else the time-out of the oldest unanswered
 * packet. The time-out doubles with each one that follows in silence, up to a limit: the process of a peer that
 * answers nothing may have had no processor, and more copies would not make it faster. Any answer makes it short again.
 *
 * <p>A peer that has been silent for long and then answered is slow: it may be silent as long again. The first time-out is then a quarter of
 * that silence, at most {@link #LONGEST_FIRST_NS}, and becomes shorter with each answer that comes in time. Two time-outs in a row are
 * taken for losses.
 */
public final class RequestTimer {

    /** The longest time-out is {@code 1 << MOST_DOUBLINGS} times the first. */
    private static final int MOST_DOUBLINGS = 4;

    /** The longest first time-out that a slow peer gets, unless a longer one was configured. */
    static final long LONGEST_FIRST_NS = 1_000_000_000L;

    /** The part of a silence that becomes the first time-out. */
    private static final int SHARE = 4;

    /** Time-outs in a row after which an answer shows that the peer was slow. */
    private static final int SLOW_DOUBLINGS = 3;

    /** With each answer in time, the first time-out loses this part of what was added: 1 / 2^5. */
    private static final int DECAY_SHIFT = 5;

    private final long configuredNs;

    /** The first time-out. */
    private long timeoutNs;

    /** When the first of the time-outs in a row began. */
    private long silentSinceNs;

    private int doublings;
    private boolean notReady;
    private long notReadyUntilNs;
    private boolean running;
    private long timeoutAtNs;

    /** A timer with this time-out; 0 for none. */
    public RequestTimer(long timeoutNs) {
        configuredNs = timeoutNs;
        this.timeoutNs = timeoutNs;
    }

    /** Whether the RNR timer runs. */
    public boolean notReady() {
        return notReady;
    }

    public void startNotReady(long delayNs, long nowNs) {
        notReady = true;
        notReadyUntilNs = Times.after(nowNs, delayNs);
        running = false;
    }

    /** Ends the RNR timer and the time-out: progress was made. */
    public void clear() {
        notReady = false;
        running = false;
        doublings = 0;
    }

    /** Ends the time-out; {@link #run} starts a new one. */
    public void restart() {
        running = false;
    }

    /** The next time-out is longer, until the peer answers. */
    public void backOff() {
        doublings = Math.min(MOST_DOUBLINGS, doublings + 1);
    }

    /**
     * The peer has answered, perhaps without progress. The time-out in progress ends at the latest after a short one from now on; it never ends
     * later because of an answer, so that a stream of old answers cannot postpone a repetition.
     */
    public void onAckReceived(long nowNs) {
        learn(nowNs);
        doublings = 0;
        silentSinceNs = nowNs;
        if (running) {
            timeoutAtNs = Times.earlier(timeoutAtNs, Times.after(nowNs, timeoutNs));
        }
    }

    /** The peer has answered after {@link #doublings} time-outs. */
    private void learn(long nowNs) {
        if (doublings >= SLOW_DOUBLINGS) {
            long share = Math.min((nowNs - silentSinceNs) / SHARE, LONGEST_FIRST_NS);
            timeoutNs = Math.max(timeoutNs, share);
        } else if (doublings == 0 && timeoutNs > configuredNs) {
            long added = timeoutNs - configuredNs;
            timeoutNs = added >>> DECAY_SHIFT == 0 ? configuredNs : timeoutNs - (added >>> DECAY_SHIFT);
        }
    }

    /** Ends the RNR timer. */
    public void endNotReady() {
        notReady = false;
    }

    /** Starts the time-out, or ends it if no packet is unanswered. */
    public void run(boolean unanswered, long nowNs) {
        if (!unanswered || timeoutNs == 0 || notReady) {
            running = false;
        } else if (!running) {
            running = true;
            silentSinceNs = doublings == 0 ? nowNs : silentSinceNs;
            timeoutAtNs = Times.after(nowNs, timeoutNs << doublings);
        }
    }

    public long nextDeadlineNs() {
        if (notReady) {
            return notReadyUntilNs;
        }
        return running ? timeoutAtNs : Times.NEVER;
    }

    public boolean notReadyExpired(long nowNs) {
        return notReady && Times.due(notReadyUntilNs, nowNs);
    }

    public boolean timedOut(long nowNs) {
        return running && Times.due(timeoutAtNs, nowNs);
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, notReady ? notReadyUntilNs : 0);
        d = Digest.mix(Digest.mix(d, running ? timeoutAtNs : 0), doublings);
        return Digest.mix(Digest.mix(d, timeoutNs), silentSinceNs);
    }
}
