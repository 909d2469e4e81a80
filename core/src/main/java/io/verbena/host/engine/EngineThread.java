package io.verbena.host.engine;

import io.verbena.host.system.Pinning;
import io.verbena.host.system.Threads;
import io.verbena.rnic.context.EngineActivity;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that drives one engine: polls its streams, runs an engine turn, spins briefly when idle, then parks in the
 * selector until an event, a deadline or a doorbell.
 *
 * <p><b>No doorbell is lost, and none costs a system call while the engine runs.</b> This is Dekker's pattern: each
 * side first writes its own word, then reads that of the other side, with a full fence between.
 *
 * <pre>
 *   ringer                            engine thread
 *   writes work (doorbell stack)      parked = true
 *   full fence                        full fence
 *   reads parked                      checks for work
 *     true: wakes the selector          found: parked = false, continues
 *     false: done                       none:  selects
 * </pre>
 *
 * Either the ringer sees that the engine is about to park, or the engine sees the work: if both missed each other, both
 * reads would precede both writes. A wakeup between the check and the select is kept by the selector. Of several
 * ringers one makes the system call (compare-and-set on {@code parked}); a wakeup that arrives late, after the thread
 * has woken by itself, only ends one later park early.
 *
 * <p>The spinning time adapts like halt polling in hypervisors, see {@link SpinBudget}.
 *
 * <p>A thread that waits for the RNIC may drive the engine instead, see {@link EngineOwnership}. This thread then stands aside.
 */
public final class EngineThread {

    private static final VarHandle PARKS;
    private static final VarHandle BUSY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PARKS = lookup.findVarHandle(EngineThread.class, "parks", long.class);
            BUSY = lookup.findVarHandle(EngineThread.class, "busyNs", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long LONGEST_PARK_NS = 1_000_000_000;

    /** While it stands aside: the engine is taken back when it was free for a whole period. */
    private static final long WATCH_NS = 500_000;

    /** After this many periods in which no borrower came or left, the one that is inside unparks this thread when it leaves. */
    private static final int PERIODS_BEFORE_REST = 20;

    private static final long STOPPING_WATCH_NS = 50_000;

    private final EngineLoop loop;
    private final Driven engine;
    private final EngineRounds rounds;
    private final EngineOwnership ownership = new EngineOwnership();
    private final Borrowing borrowing;
    private final Worker thread;
    private final Set<Integer> cores;
    private final SpinBudget spin = new SpinBudget();

    private volatile boolean stopping;

    // Guarded by the lock: which thread closes the streams if this one did not end in time.
    private boolean ended;
    private boolean closesLoop;

    // Figures, written by the thread.
    private long parks;
    private long busyNs;

    // The thread's own: the last round, if it had work and is not part of busyNs yet.
    private boolean uncounted;
    private long roundNs;

    /** The type of the thread, which identifies callers that are engines. */
    static final class Worker extends Thread {
        Worker(Runnable work, String name) {
            super(work, name);
            setDaemon(true);
        }
    }

    /** Not started yet; runs on any core. */
    public EngineThread(String name, EngineLoop loop, Driven engine) {
        this(name, loop, engine, Set.of());
    }

    /** Not started yet; bound to these cores, none for any. */
    public EngineThread(String name, EngineLoop loop, Driven engine, Set<Integer> cores) {
        this.cores = Set.copyOf(cores);
        this.loop = loop;
        this.engine = engine;
        rounds = new EngineRounds(loop, engine);
        thread = new Worker(this::run, name);
        borrowing = new Borrowing(ownership, loop, engine, rounds, thread);
    }

    public void start() {
        thread.start();
    }

    /** There is work from another side than the streams: see the essay above. Any thread. */
    public void wake() {
        if (borrowing.answer()) {
            return;
        }
        switch (ownership.ring()) {
            case WAKE_DRIVER -> wakeDriver();
            case CALL_ENGINE_THREAD -> LockSupport.unpark(thread);
            case NOTHING -> {}
        }
    }

    private void wakeDriver() {
        if (rounds.streamless()) {
            LockSupport.unpark(thread);
        } else {
            loop.wakeup();
        }
    }

    /** The part of the threads that borrow the engine. */
    Borrowing borrowing() {
        return borrowing;
    }

    /** Ends the sleep of a borrower. The reason has been written before. Any thread. */
    void wakeBorrower() {
        if (ownership.ringBorrower()) {
            loop.wakeup();
        }
    }

    /** How many rounds had work. Any thread. */
    long worked() {
        return rounds.worked();
    }

    /** What this thread, and those that borrow the engine, have done. Any thread. */
    EngineActivity activity() {
        return new EngineActivity(worked(), OptionalLong.of(parks()), OptionalLong.of(busyNs()));
    }

    /** Calls this after each round that had work, in the thread that drives the engine. */
    void onWork(Runnable callback) {
        rounds.onWork(callback);
    }

    /** The failure that ended the thread before it was stopped, if any. */
    @Nullable
    Throwable failure() {
        return rounds.failure();
    }

    /** Whether this thread drives the engine now: the engine thread, or a borrower that is inside. For that thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean drivenBy(Thread other) {
        return other == thread || borrowing.inside(other);
    }

    /** How often the thread has parked. Any thread. */
    public long parks() {
        return (long) PARKS.getOpaque(this);
    }

    /** Time in rounds of this thread that had work. Any thread. */
    public long busyNs() {
        return (long) BUSY.getOpaque(this);
    }

    private void run() {
        loop.own();
        loop.share(borrowing);
        bind();
        try {
            while (!stopping && rounds.failure() == null) {
                driveOn();
            }
        } catch (Throwable e) {
            rounds.failed(e);
        } finally {
            end();
        }
    }

    private void bind() {
        String note = Pinning.bind("An engine of an RNIC", cores);
        if (!note.isEmpty()) {
            System.getLogger("io.verbena.host").log(Level.WARNING, note);
        }
    }

    /** A failure ends the engine, not the thread, which continues in order to flush work posted to the engine. */
    private void driveOn() {
        try {
            drive();
        } catch (Throwable e) {
            ownership.wakeUp();
            if (stopping) {
                return; // an event closed the environment in this very thread
            }
            if (!rounds.continues(e)) {
                throw e;
            }
        }
    }

    private synchronized void end() {
        ended = true;
        if (closesLoop) {
            closeLoop();
        }
    }

    /** Closes the streams: now, or at the end of the current turn. After {@link #stop}. */
    synchronized void closeLoopAtEnd() {
        closesLoop = true;
        if (ended) {
            closeLoop();
        }
    }

    private void closeLoop() {
        try {
            loop.close();
        } catch (IOException e) {
            Threads.uncaught(e);
        }
    }

    /** From work to the end of the next park, or to the end of a loan. */
    private void drive() {
        long nowNs = counted(System.nanoTime());
        while (round(nowNs)) {
            if (stopping || lent()) {
                return;
            }
            nowNs = counted(System.nanoTime());
        }
        long idleSinceNs = nowNs;
        while (nowNs - idleSinceNs < spin.spinNs(nowNs)) {
            if (lent()) {
                return;
            }
            nowNs = SpinBudget.pause();
            if (round(nowNs) || stopping) {
                spin.onCaught();
                return;
            }
        }
        park(nowNs);
        lent();
    }

    /** Polls the streams, then runs the engine. Returns whether there was work. */
    private boolean round(long nowNs) {
        int work = rounds.round(nowNs);
        uncounted = work > 0;
        roundNs = nowNs;
        // A callback may have left it set. Nothing here is to be interrupted, and a selector would not wait.
        Thread.interrupted();
        return work > 0;
    }

    /** Counts the last round as busy if it had work. It ended at {@code nowNs}, which is read for the next one anyway. */
    private long counted(long nowNs) {
        if (uncounted) {
            uncounted = false;
            BUSY.setOpaque(this, busyNs + nowNs - roundNs);
        }
        return nowNs;
    }

    private void park(long nowNs) {
        ownership.fallAsleep();
        if (stopping || engine.hasWork() || wanted()) {
            ownership.wakeUp();
            return;
        }
        int events = await(parkNs(engine.nextDeadlineNs(), nowNs));
        boolean rung = ownership.wakeUp();
        PARKS.setOpaque(this, parks + 1);
        if (events > 0 || rung) {
            spin.onParked(System.nanoTime() - nowNs);
        }
    }

    private boolean wanted() {
        return ownership.wanted() && !rounds.streamless();
    }

    // Standing aside.

    /** Lends the engine if a thread wants it, until this thread takes it back. Returns whether it was lent. */
    private boolean lent() {
        if (stopping || !wanted()) {
            return false;
        }
        rounds.completeClosing();
        counted(System.nanoTime());
        ownership.lend();
        if (engine.rung() && ownership.takeBack()) {
            return false; // rung while it was being released
        }
        standAside();
        loop.own();
        borrowing.ended();
        return true;
    }

    /** Returns as the driver. */
    private void standAside() {
        long changes = ownership.changes();
        int quietPeriods = 0;
        while (true) {
            boolean called = ownership.wasCalled();
            if ((called || stopping || quietPeriods > 0) && ownership.takeBack()) {
                return;
            }
            if (stopping) {
                LockSupport.parkNanos(this, STOPPING_WATCH_NS); // the borrower leaves
            } else if (quietPeriods >= PERIODS_BEFORE_REST && ownership.rest()) {
                LockSupport.parkNanos(this, LONGEST_PARK_NS);
                ownership.rested();
            } else {
                LockSupport.parkNanos(this, WATCH_NS);
            }
            Thread.interrupted(); // a park would not wait
            long changed = ownership.changes();
            quietPeriods = changed == changes ? quietPeriods + 1 : 0;
            changes = changed;
        }
    }

    /** How long a park may last; 0 or less when the deadline has passed. */
    static long parkNs(long deadlineNs, long nowNs) {
        return deadlineNs == Driven.NEVER ? LONGEST_PARK_NS : Math.min(deadlineNs - nowNs, LONGEST_PARK_NS);
    }

    private int await(long timeoutNs) {
        if (rounds.streamless()) {
            LockSupport.parkNanos(this, timeoutNs);
            return 0;
        }
        return rounds.select(timeoutNs);
    }

    /**
     * Stops the thread. After it returned true, the engine never runs again. The thread that drives the engine may call this
     * method; the thread ends after the current turn then.
     *
     * @return false if the current turn did not end in time
     */
    public boolean stop(long timeoutNs) {
        stopping = true;
        borrowing.stop();
        wake();
        LockSupport.unpark(thread); // it may stand aside
        if (borrowing.inside(Thread.currentThread())) {
            return true;
        }
        return Threads.join(thread, timeoutNs);
    }
}
