package io.verbena.host.engine;

import io.verbena.host.system.RunDelay;
import io.verbena.live.WantedProcessors;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long to spin before parking. It learns two things:
 *
 * <ul> <li>how long the parks of this waiter last: an event soon after parking would have been caught by spinning
 * longer; <li>whether spinning takes processors from others: whether this thread itself has waited for a processor for a good
 * part of the last milliseconds ({@link RunDelay}). Then more threads compute than there are cores. A parked thread is woken at
 * once, while a spinning thread waits for the end of the time slice of the other. So a thread spins only for as long as parking
 * would cost, and not even that while it waits in vain. It notices the end of the crowd within milliseconds. </ul>
 *
 * <p>Where the run delay is not known, the yields of all threads of the process tell: if others use the processor for a good part
 * of the time that yields last, spinning is disabled for a while, longer each time this happens again. The threads of INLINE
 * RNICs always go by that, see {@link PollPause}.
 *
 * <p>Measured on two cores, round trip of a Send: with three threads that only communicate, 25 microseconds with yielding,
 * 80 to 230 without; beside two threads that only compute, 8,000 with yielding, 50 when parked at once. Parking always
 * is not a solution either: waking an idle core takes 30 to 50 microseconds here.
 *
 * <p>Used by one thread, or by several in turn: a stale value does no harm.
 */
public final class SpinBudget {

    static final long MOST_NS = 50_000;
    static final long LEAST_NS = 2_000;
    private static final long START_NS = 20_000;

    /** Longer than a turn of another engine, shorter than a time slice. */
    private static final long STOLEN_NS = 300_000;

    private static final long WINDOW_NS = 100_000_000;
    private static final long MOST_STOLEN_NS = 20_000_000;
    private static final long FIRST_PENALTY_NS = 100_000_000;
    private static final long LAST_PENALTY_NS = 800_000_000;

    /** On a single processor a spinning thread blocks the thread that it waits for. */
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;

    /** How long the threads of a crowded machine spin: about what parking and waking would cost. */
    static final long CROWDED_NS = 4_000;

    /** After this many waits that a short spin did not end, a thread of a crowded machine parks at once. */
    private static final int MOST_MISSES = 4;

    /** And tries a short spin again at one of this many waits. */
    private static final int RETRY = 16;

    /** How often a thread looks whether the machine is crowded. */
    private static final long LOOK_NS = 2_000_000;

    /** A thread that has waited for a processor for this part of the time is on a crowded machine: one eighth. */
    private static final int CROWDED_PART = 8;

    private static volatile boolean crowded;
    private static volatile long crowdedUntilNs;

    /**
     * Guarded by the lock of the class: time lost in the current window, and for how long spinning will be disabled
     * next.
     */
    private static long windowStartNs = System.nanoTime();

    private static long stolenNs;
    private static long penaltyNs = FIRST_PENALTY_NS;

    private final LongSupplier runDelay;
    private final LongPredicate scarce;
    private long spinNs = START_NS;
    private long lookedNs = System.nanoTime();
    private long delayNs = RunDelay.UNKNOWN;
    private @Nullable Thread looked;
    private boolean tight;
    private int misses;
    private int waits;

    public SpinBudget() {
        this(RunDelay::ofThisThreadNs);
    }

    /** For tests: with a run delay of their own. */
    SpinBudget(LongSupplier runDelay) {
        this(runDelay, _ -> false);
    }

    /** The same, with a rule that says whether processors are scarce at a time. */
    SpinBudget(LongSupplier runDelay, LongPredicate scarce) {
        this.runDelay = runDelay;
        this.scarce = scarce;
    }

    /**
     * Of a thread that drives an engine only while it waits. Beside threads that compute it often has little run delay,
     * because the system prefers threads that have slept: so it does not spin either while more threads of the machine
     * than processors want to run.
     */
    static SpinBudget ofBorrower() {
        return new SpinBudget(RunDelay::ofThisThreadNs, WantedProcessors.ofMachine()::scarce);
    }

    /** How long to spin now. */
    public long spinNs(long nowNs) {
        if (ALONE || scarce.test(nowNs)) {
            return 0;
        }
        if (nowNs - lookedNs >= LOOK_NS) {
            look(nowNs);
        }
        return tight ? tightNs() : spinNs;
    }

    private long tightNs() {
        return misses < MOST_MISSES || waits % RETRY == 0 ? Math.min(spinNs, CROWDED_NS) : 0;
    }

    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    private void look(long nowNs) {
        long nowDelayNs = runDelay.getAsLong();
        if (nowDelayNs == RunDelay.UNKNOWN) {
            tight = !allowed(nowNs);
        } else if (looked == Thread.currentThread()) {
            tight = (nowDelayNs - delayNs) * CROWDED_PART > nowNs - lookedNs;
        }
        delayNs = nowDelayNs;
        looked = Thread.currentThread();
        lookedNs = nowNs;
    }

    /** Whether spinning is enabled now. */
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

    /** What was waited for came while this waiter spun. */
    public void onCaught() {
        misses = 0;
        waits++;
    }

    /** A park that was ended by what was waited for lasted so long. */
    public void onParked(long parkedNs) {
        misses++;
        waits++;
        if (parkedNs < MOST_NS) {
            spinNs = Math.min(MOST_NS, spinNs * 2);
        } else if (parkedNs > 4 * MOST_NS) {
            spinNs = Math.max(LEAST_NS, spinNs / 2);
        }
    }

    /** Yields the processor between two polls. Returns the time after that. */
    @SuppressWarnings("ThreadPriorityCheck") // a courtesy: nothing depends on what the scheduler makes of it
    public static long pause() {
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
