package io.verbena.host;

/**
 * How long to look again and again before parking. Two things are learned:
 *
 * <ul>
 *   <li>how long this waiter's parks last: what came soon after parking would have been caught by looking longer;
 *   <li>whether spinning gets in the way, for the whole program: every look offers the processor to others, and when they
 *       keep it for a good part of the time, more threads compute than there are cores. Who parks is then woken at once,
 *       while who spins waits for the end of the other's time slice. So nobody spins for a while, longer each time it
 *       happens again.
 * </ul>
 *
 * Measured on two cores, round trip of a Send: with three threads that only communicate, 25 microseconds with offering, 80
 * to 230 without; beside two threads that only compute, 8,000 with offering, 50 when parked at once. Parking always is no
 * answer either: to wake an idle core takes 30 to 50 microseconds here.
 *
 * <p>Used by one thread, or by several in turn: a stale value does no harm.
 */
final class SpinBudget {

    static final long MOST_NS = 50_000;
    static final long LEAST_NS = 2_000;
    private static final long START_NS = 20_000;

    /** Longer than any other engine's turn takes, shorter than a time slice. */
    private static final long STOLEN_NS = 300_000;

    private static final long WINDOW_NS = 100_000_000;
    private static final long MOST_STOLEN_NS = 20_000_000;
    private static final long FIRST_PENALTY_NS = 100_000_000;
    private static final long LAST_PENALTY_NS = 800_000_000;

    /** On one processor whoever spins keeps away the very thread it waits for. */
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;

    private static volatile boolean crowded;
    private static volatile long crowdedUntilNs;

    /** Under the class's lock: time lost in the present window, and how long spinning is left off next. */
    private static long windowStartNs = System.nanoTime();

    private static long stolenNs;
    private static long penaltyNs = FIRST_PENALTY_NS;

    private long spinNs = START_NS;

    /** How long to spin now. */
    long spinNs(long nowNs) {
        return allowed(nowNs) ? spinNs : 0;
    }

    /** Whether anybody should spin now. */
    static boolean allowed(long nowNs) {
        if (ALONE) {
            return false;
        }
        if (!crowded) {
            return true;
        }
        if (nowNs - crowdedUntilNs < 0) {
            return false;
        }
        crowded = false;
        return true;
    }

    /** A park that was ended by what was waited for lasted so long. */
    void onParked(long parkedNs) {
        if (parkedNs < MOST_NS) {
            spinNs = Math.min(MOST_NS, spinNs * 2);
        } else if (parkedNs > 4 * MOST_NS) {
            spinNs = Math.max(LEAST_NS, spinNs / 2);
        }
    }

    /** Between two looks: offers the processor to others. Returns the time after that. */
    @SuppressWarnings("ThreadPriorityCheck") // a courtesy: nothing depends on what the scheduler makes of it
    static long pause() {
        long beforeNs = System.nanoTime();
        Thread.onSpinWait();
        Thread.yield();
        long nowNs = System.nanoTime();
        if (nowNs - beforeNs > STOLEN_NS) {
            onStolen(nowNs - beforeNs, nowNs);
        }
        return nowNs;
    }

    private static synchronized void onStolen(long lostNs, long nowNs) {
        if (crowded) {
            return;
        }
        if (nowNs - windowStartNs > WINDOW_NS) {
            windowStartNs = nowNs;
            stolenNs = 0;
        }
        stolenNs += lostNs;
        if (stolenNs < MOST_STOLEN_NS) {
            return;
        }
        stolenNs = 0;
        boolean again = nowNs - crowdedUntilNs < WINDOW_NS;
        penaltyNs = again ? Math.min(LAST_PENALTY_NS, penaltyNs * 2) : FIRST_PENALTY_NS;
        crowdedUntilNs = nowNs + penaltyNs;
        crowded = true;
    }
}
