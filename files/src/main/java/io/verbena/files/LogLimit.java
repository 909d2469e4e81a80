package io.verbena.files;

import io.verbena.verbs.PeerNetwork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the rate of log lines that clients cause: a burst and then one per second for each origin, and a larger limit for
 * all origins together. Lines over the limit are counted, and the next line about that origin reports the count. Pure: time
 * is an argument.
 */
final class LogLimit {

    private static final int BURST = 20;
    private static final long PERIOD_NS = 1_000_000_000L;
    private static final int BURST_OF_ALL = 200;
    private static final long PERIOD_OF_ALL_NS = 50_000_000L;
    private static final int MOST_ORIGINS = 1024;

    /** Admits {@code burst} lines at once and then one per period. */
    private static final class Bucket {

        private final int burst;
        private final long periodNs;
        private long left;
        private long filledNs;
        private long leftOut;

        Bucket(int burst, long periodNs, long nowNs) {
            this.burst = burst;
            this.periodNs = periodNs;
            this.left = burst;
            this.filledNs = nowNs;
        }

        boolean isEmpty(long nowNs) {
            long periods = (nowNs - filledNs) / periodNs;
            if (periods > 0) {
                left = Math.min(burst, left + periods);
                filledNs += periods * periodNs;
            }
            return left == 0;
        }
    }

    private final Map<PeerNetwork, Bucket> byOrigin = new LinkedHashMap<>(16, 0.75f, true);
    private final Bucket all;
    private long leftOut;

    LogLimit(long nowNs) {
        all = new Bucket(BURST_OF_ALL, PERIOD_OF_ALL_NS, nowNs);
    }

    /** The lines to write for a new line about an origin: none, the line, or a count of suppressed lines and the line. */
    synchronized List<String> admit(PeerNetwork origin, String line, long nowNs) {
        Bucket bucket = byOrigin.computeIfAbsent(origin, any -> new Bucket(BURST, PERIOD_NS, nowNs));
        if (byOrigin.size() > MOST_ORIGINS) {
            byOrigin.remove(byOrigin.keySet().iterator().next());
        }
        if (bucket.isEmpty(nowNs) || all.isEmpty(nowNs)) {
            bucket.leftOut++;
            leftOut++;
            return List.of();
        }
        bucket.left--;
        all.left--;
        List<String> lines = new ArrayList<>();
        if (bucket.leftOut > 0) {
            lines.add(bucket.leftOut + " line(s) about clients at " + origin.name() + " were suppressed.");
            bucket.leftOut = 0;
        }
        lines.add(line);
        return lines;
    }

    /** Number of lines suppressed so far. */
    synchronized long leftOut() {
        return leftOut;
    }
}
