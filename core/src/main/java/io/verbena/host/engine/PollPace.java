package io.verbena.host.engine;

/**
 * Which polls of a thread read the clock. To read it takes a good part of the time of a poll that finds
 * nothing, so a thread that polls without a pause reads it once in a few polls: deadlines and pauses are then these
 * polls late. A thread that polls seldom, or that shall pause, reads it each time.
 *
 * <pre>
 *   poll   poll   poll   poll   poll   poll
 *   clock                       clock           if the last one was less than 20 µs a poll before, and no pause is due
 * </pre>
 *
 * <p>For one thread.
 */
final class PollPace {

    /** Polls without the clock between two with it. */
    static final int MOST_UNTIMED = 3;

    /** A thread with more time than this between its polls polls seldom. */
    static final long SELDOM_NS = 20_000;

    private long timedNs;
    private int untimed;
    private boolean often;
    private boolean calm;

    /** Whether the poll that begins does without the clock. */
    boolean untimed() {
        if (often && calm && untimed < MOST_UNTIMED) {
            untimed++;
            return true;
        }
        return false;
    }

    /**
     * A poll has read the clock. Returns the longest time since the last one that did for a thread that polls often.
     */
    long timed(long nowNs) {
        long oftenNs = (untimed + 1) * SELDOM_NS;
        often = nowNs - timedNs <= oftenNs;
        timedNs = nowNs;
        untimed = 0;
        return oftenNs;
    }

    /** A poll has found nothing; whether no pause follows. */
    void calm(boolean noPause) {
        calm = noPause;
    }
}
