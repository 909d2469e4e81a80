package io.verbena.files;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Attempts at something that fails for a while. Only the time since the first failure counts: an operation that took long before its
 * connection broke, or a machine that has slept, tries again before it gives up.
 */
final class Attempts {

    private final long patienceNs;
    private OptionalLong firstFailureNs = OptionalLong.empty();
    private long progress;

    Attempts(Duration patience) {
        patienceNs = patience.toNanos();
    }

    /**
     * An attempt has failed. Returns whether there is to be no other one.
     *
     * @param progressNow how much is done; if it is more than at the failure before, the time begins again
     */
    boolean inVain(long progressNow) {
        long nowNs = System.nanoTime();
        if (progressNow > progress || firstFailureNs.isEmpty()) {
            firstFailureNs = OptionalLong.of(nowNs);
        }
        progress = progressNow;
        return nowNs - firstFailureNs.getAsLong() >= patienceNs;
    }
}
