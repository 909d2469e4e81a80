package io.verbena.tools.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Limits the time for the start of a process on this machine. While more threads are ready than there are processors, time counts in proportion to
 * what each of them gets: a process that has a hundredth of a processor is not slow, but it is not given more than {@link #MOST} times the limit.
 */
final class SharedTime {

    static final int MOST = 12;

    private static final Path LOAD = Path.of("/proc/loadavg");

    private final long limitNs;
    private final long startNs;
    private double countedNs;
    private long lastNs;

    SharedTime(long limitNs, long nowNs) {
        this.limitNs = limitNs;
        startNs = nowNs;
        lastNs = nowNs;
    }

    /**
     * Counts the time since the last call; returns whether the limit is reached.
     *
     * @param share of a processor that each thread has
     */
    boolean over(long nowNs, double share) {
        countedNs += (nowNs - lastNs) * share;
        lastNs = nowNs;
        return countedNs >= limitNs || nowNs - startNs >= MOST * limitNs;
    }

    /** The share of a processor that a thread which is ready has on this machine now; 1 where the system does not state it. */
    static double share() {
        try {
            return share(Files.readString(LOAD), Runtime.getRuntime().availableProcessors());
        } catch (IOException | SecurityException _) {
            return 1;
        }
    }

    /** The same, by the fourth of the words of {@code /proc/loadavg}: the threads that are ready, and all. */
    static double share(String load, int processors) {
        String[] words = load.strip().split(" ");
        int slash = words.length < 4 ? -1 : words[3].indexOf('/');
        try {
            int ready = slash < 0 ? 0 : Integer.parseInt(words[3].substring(0, slash));
            return ready <= processors ? 1 : (double) processors / ready;
        } catch (NumberFormatException _) {
            return 1;
        }
    }
}
