package io.verbena.host.engine;

import io.verbena.host.system.Threads;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that drives an INLINE engine while its owner is busy for a long time, or has ended: it answers keep-alive
 * probes and Reads, acknowledges packets, and processes the deadlines of connections. It is inside only when the owner
 * is not, and the owner is not aware of it.
 */
public final class StandIn {

    /**
     * Name of the setting with the interval, in milliseconds, at which it checks whether the owner has driven the
     * engine; 0 disables it.
     */
    static final String SETTING = "inline-stand-in-ms";

    private static final int USUAL_MS = 100;
    private static final int LONGEST_MS = 3_600_000;
    private static final long END_NS = 10_000_000_000L;

    private final InlineDriver driver;
    private final long periodNs;
    private final Thread thread;
    private volatile boolean stopping;

    private StandIn(String name, InlineDriver driver, long periodNs) {
        this.driver = driver;
        this.periodNs = periodNs;
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** The interval for an RNIC with these options, in nanoseconds; 0 if disabled. */
    public static long periodNs(RnicOptions options) {
        String wanted = options.settings().getOrDefault(SETTING, String.valueOf(USUAL_MS));
        try {
            int ms = Integer.parseInt(wanted);
            if (ms >= 0 && ms <= LONGEST_MS) {
                return ms * 1_000_000L;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "the setting '" + SETTING + "' must be 0 to " + LONGEST_MS + " milliseconds, not '" + wanted + "'");
    }

    public static StandIn start(String name, InlineDriver driver, long periodNs) {
        StandIn standIn = new StandIn(name, driver, periodNs);
        standIn.thread.start();
        return standIn;
    }

    private void run() {
        long seen = driver.ownerRounds();
        while (!stopping) {
            LockSupport.parkNanos(periodNs);
            long rounds = driver.ownerRounds();
            if (rounds != seen) {
                seen = rounds;
                continue;
            }
            try {
                driver.standIn();
            } catch (RuntimeException | Error e) {
                Threads.uncaught(e);
                return; // the owner reports the failure in its own turn
            }
        }
    }

    /** Whether it is this thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public boolean is(Thread other) {
        return other == thread;
    }

    /**
     * Stops the thread. Returns after it has ended; called by the thread itself, it ends after the current turn.
     * Returns false if it does not end.
     */
    public boolean stop() {
        stopping = true;
        LockSupport.unpark(thread);
        return Threads.join(thread, END_NS);
    }
}
