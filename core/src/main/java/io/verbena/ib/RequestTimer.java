package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * The timer of a requester: the RNR timer while the peer is not ready, else the time-out of the oldest unanswered
 * packet. The time-out doubles with each one that follows in silence, up to a limit: the process of a peer that
 * answers nothing may have had no processor, and more copies would not make it faster. Any answer makes it short again.
 */
final class RequestTimer {

    /** The longest time-out is {@code 1 << MOST_DOUBLINGS} times the first. */
    private static final int MOST_DOUBLINGS = 4;

    private final long timeoutNs;
    private int doublings;
    private boolean notReady;
    private long notReadyUntilNs;
    private boolean running;
    private long timeoutAtNs;

    /** A timer with this time-out; 0 for none. */
    RequestTimer(long timeoutNs) {
        this.timeoutNs = timeoutNs;
    }

    /** Whether the RNR timer runs. */
    boolean notReady() {
        return notReady;
    }

    void startNotReady(long delayNs, long nowNs) {
        notReady = true;
        notReadyUntilNs = Times.after(nowNs, delayNs);
        running = false;
    }

    /** Ends the RNR timer and the time-out: progress was made. */
    void clear() {
        notReady = false;
        running = false;
        doublings = 0;
    }

    /** Ends the time-out; {@link #run} starts a new one. */
    void restart() {
        running = false;
    }

    /** The next time-out is longer, until the peer answers. */
    void backOff() {
        doublings = Math.min(MOST_DOUBLINGS, doublings + 1);
    }

    /**
     * The peer has answered, without progress. The time-out in progress ends at the latest after a short one from now on; it never ends
     * later because of an answer, so that a stream of old answers cannot postpone a repetition.
     */
    void heard(long nowNs) {
        doublings = 0;
        if (running) {
            timeoutAtNs = Times.earlier(timeoutAtNs, Times.after(nowNs, timeoutNs));
        }
    }

    /** Ends the RNR timer. */
    void endNotReady() {
        notReady = false;
    }

    /** Starts the time-out, or ends it if no packet is unanswered. */
    void run(boolean unanswered, long nowNs) {
        if (!unanswered || timeoutNs == 0 || notReady) {
            running = false;
        } else if (!running) {
            running = true;
            timeoutAtNs = Times.after(nowNs, timeoutNs << doublings);
        }
    }

    long nextDeadlineNs() {
        if (notReady) {
            return notReadyUntilNs;
        }
        return running ? timeoutAtNs : Times.NEVER;
    }

    boolean notReadyExpired(long nowNs) {
        return notReady && Times.due(notReadyUntilNs, nowNs);
    }

    boolean timedOut(long nowNs) {
        return running && Times.due(timeoutAtNs, nowNs);
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, notReady ? notReadyUntilNs : 0);
        return Digest.mix(Digest.mix(d, running ? timeoutAtNs : 0), doublings);
    }
}
