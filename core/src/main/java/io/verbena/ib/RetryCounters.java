package io.verbena.ib;

import io.verbena.base.Digest;

/**
 * The retries that a reliable connection has left: of packets without an answer, and of requests for which the peer had no receive.
 * Progress restores both. A gap is repeated only once at each PSN, since everything that followed it reports it as well; the timer
 * repeats it again.
 */
final class RetryCounters {

    private static final int NOT_RESTARTED = -1;

    private final RcSettings settings;
    private int left;
    private int notReadyLeft;
    private int restartedPsn = NOT_RESTARTED;

    RetryCounters(RcSettings settings) {
        this.settings = settings;
        restore();
    }

    /** Progress was made. */
    void restore() {
        left = settings.retries();
        notReadyLeft = settings.receiverNotReadyRetries();
        restartedPsn = NOT_RESTARTED;
    }

    /** Takes one retry of a request for which the peer had no receive; returns false if none is left. */
    boolean takeNotReady() {
        return settings.receiverNotReadyRetries() == RcSettings.UNLIMITED || notReadyLeft-- != 0;
    }

    /** Notes that everything from a PSN on is sent again; returns false if that was done already, without progress since. */
    boolean restart(int psn) {
        boolean first = restartedPsn != psn;
        restartedPsn = psn;
        return first;
    }

    /** Takes one retry of packets without an answer. When none is left, another path gets as many; returns false without one. */
    boolean take(MigratingPath path) {
        if (left-- == 0 && path.migrate()) {
            left = settings.retries();
        }
        return left >= 0;
    }

    long stateDigest(long digest, int oldestPsn) {
        long d = Digest.mix(digest, (long) oldestPsn << 32 | restartedPsn & 0xffff_ffffL);
        return Digest.mix(d, (long) left << 8 | notReadyLeft);
    }
}
