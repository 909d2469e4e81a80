package io.verbena.tools.files;

import io.verbena.tools.text.Figures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bounds the lines that clients can make a server write: some at once and then one a second about each origin, and a few
 * more about all of them. What is left out is counted, and the count is told in the next line about that origin. Pure:
 * time is an argument.
 */
final class LogLimit {

    private static final int BURST = 20;
    private static final long PERIOD_NS = 1_000_000_000L;
    private static final int BURST_OF_ALL = 200;
    private static final long PERIOD_OF_ALL_NS = 50_000_000L;
    private static final int MOST_ORIGINS = 1024;

    /** Admits {@code burst} at once and then one each period. */
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

    private final Map<Origin, Bucket> byOrigin = new LinkedHashMap<>(16, 0.75f, true);
    private final Bucket all;
    private long leftOut;

    LogLimit(long nowNs) {
        all = new Bucket(BURST_OF_ALL, PERIOD_OF_ALL_NS, nowNs);
    }

    /** What is to be written when a line about an origin comes: nothing, the line, or a count of others and the line. */
    synchronized List<String> admit(Origin origin, String line, long nowNs) {
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
            lines.add(Figures.count(bucket.leftOut) + " more line(s) about clients at " + origin.text()
                    + " were left out.");
            bucket.leftOut = 0;
        }
        lines.add(line);
        return lines;
    }

    /** Lines that were left out so far. */
    synchronized long leftOut() {
        return leftOut;
    }
}
