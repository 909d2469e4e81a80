package io.verbena.rnic.context;

/** Counts an event that peers can cause at any rate, and limits how often it is reported. Any thread. */
public final class Overruns {

    private static final long REPORT_EVERY_NS = 10_000_000_000L;

    private long total;
    private long reportedNs;

    /** Counts one event; returns true if it is to be reported. */
    public synchronized boolean count(long nowNs) {
        boolean first = total == 0;
        total++;
        if (!first && nowNs - reportedNs < REPORT_EVERY_NS) {
            return false;
        }
        reportedNs = nowNs;
        return true;
    }

    public synchronized long total() {
        return total;
    }
}
