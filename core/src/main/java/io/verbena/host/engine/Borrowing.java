package io.verbena.host.engine;

import io.verbena.base.Times;
import io.verbena.host.system.InterruptibleWait;
import io.verbena.host.system.Threads;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The side of the threads that borrow an engine, see {@link EngineOwnership}: the wait of one thread at a time, and the
 * doorbells of the thread that was the last to wait.
 */
final class Borrowing implements EngineLoop.Exclusion {

    /** Wait for the engine thread, which is in a turn, before this thread parks. */
    private static final long SPIN_NS = 200_000;

    /** After this time the processor is yielded between rounds. */
    private static final long POLITE_AFTER_NS = 20_000;

    /** The longest single wait in the selector. */
    private static final long LONGEST_SLEEP_NS = 1_000_000_000;

    /** Pause between two attempts to take an engine whose thread is in a long turn. */
    private static final long RETRY_NS = 50_000;

    /** Turns for doorbells that were rung while the borrower left; after that the engine thread continues. */
    private static final int MOST_REPEATS = 2;

    private final EngineOwnership ownership;
    private final EngineLoop loop;
    private final Driven engine;
    private final EngineRounds rounds;
    private final Thread engineThread;
    private final InterruptibleWait waits;
    private volatile boolean stopping;

    /** Of the threads that have borrowed the engine. */
    private final ThreadLocal<@Nullable EngineBorrower> borrowers = new ThreadLocal<>();

    /** The thread that borrowed the engine last, until the engine thread takes it back. */
    private volatile @Nullable EngineBorrower last;

    Borrowing(EngineOwnership ownership, EngineLoop loop, Driven engine, EngineRounds rounds, Thread engineThread) {
        this.ownership = ownership;
        this.loop = loop;
        this.engine = engine;
        this.rounds = rounds;
        this.engineThread = engineThread;
        waits = new InterruptibleWait(loop::wakeup);
    }

    /** No borrower stays inside from now on. */
    void stop() {
        stopping = true;
    }

    /** The engine thread drives the engine again. */
    void ended() {
        last = null;
    }

    /** Whether this thread is inside the borrowed engine. Any thread may ask; the answer is certain for the calling one. */
    boolean inside(Thread thread) {
        EngineBorrower lastBorrower = last;
        return lastBorrower != null && lastBorrower.is(thread) && lastBorrower.inside() && ownership.borrowed();
    }

    /** Whether threads may borrow the engine. */
    private boolean usable() {
        return !stopping && rounds.intact();
    }

    // The wait.

    /**
     * Drives the engine in the calling thread until there was work.
     *
     * @param over ends the wait
     * @return a measure of the work; 0 if the wait ended otherwise, negative if the engine cannot be borrowed now
     */
    int borrow(EngineBorrower borrower, long timeoutNs, BooleanSupplier over) {
        know(borrower);
        if (!usable() || !ownership.claim()) {
            return -1;
        }
        try {
            return taken(timeoutNs, over) ? drive(borrower, timeoutNs, over) : 0;
        } finally {
            ownership.unclaim();
        }
    }

    /**
     * Drives the engine once, for a program that polls, if the engine is free. If the engine thread has it, a program that polls
     * repeatedly asks for it. While such a program has nothing to do it pauses ({@link PollPause}), because the engine thread or the peer
     * may need the processor.
     *
     * @return a measure of the work
     */
    int look(EngineBorrower borrower) {
        know(borrower);
        if (!usable()) {
            return 0;
        }
        long nowNs = System.nanoTime();
        boolean again = borrower.looksAgain(nowNs);
        if (!ownership.borrow()) {
            if (again) {
                ask(borrower, nowNs);
            }
            return 0;
        }
        int work = once(borrower, nowNs);
        if (work > 0) {
            borrower.found(nowNs);
            borrower.pause().worked();
        } else if (again) {
            rest(borrower, nowNs);
        }
        return work;
    }

    private void know(EngineBorrower borrower) {
        if (last != borrower && borrowers.get() == null) {
            borrowers.set(borrower);
        }
    }

    private void ask(EngineBorrower borrower, long nowNs) {
        if (ownership.ask()) {
            loop.wakeup();
        }
        rest(borrower, nowNs);
    }

    /** A yield to threads that compute would last for their time slices, so where there are any, this thread waits for a short time instead. */
    private static void rest(EngineBorrower borrower, long nowNs) {
        PollPause pause = borrower.pause();
        switch (pause.after(borrower.inVainNs(nowNs), nowNs)) {
            case NONE -> Thread.onSpinWait();
            case YIELD -> pause.giveWay(System.nanoTime());
            case WAIT -> {
                pause.waits(nowNs);
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    private int once(EngineBorrower borrower, long nowNs) {
        enter(borrower);
        try {
            return round(nowNs);
        } finally {
            borrower.leave();
            leave(borrower);
        }
    }

    /** Waits until the engine thread has released the engine, which it does between two rounds. */
    private boolean taken(long timeoutNs, BooleanSupplier over) {
        if (ownership.borrow()) {
            return true;
        }
        long startNs = System.nanoTime();
        if (ownership.ringForClaim()) {
            loop.wakeup();
        }
        for (long nowNs = startNs; !ownership.borrow(); nowNs = System.nanoTime()) {
            if (nowNs - startNs > timeoutNs) {
                ownership.ask(); // for the next wait: a short one may end before the engine thread has noticed it
                return false;
            }
            if (!usable() || over.getAsBoolean()) {
                return false;
            }
            Threads.interrupted(true);
            if (nowNs - startNs < POLITE_AFTER_NS) {
                Thread.onSpinWait();
            } else if (nowNs - startNs < SPIN_NS && SpinBudget.allowed(nowNs)) {
                SpinBudget.pause();
            } else {
                LockSupport.parkNanos(RETRY_NS);
            }
        }
        return true;
    }

    private int drive(EngineBorrower borrower, long timeoutNs, BooleanSupplier over) {
        enter(borrower);
        try {
            long startNs = System.nanoTime();
            long nowNs = startNs;
            boolean spun = false;
            while (true) {
                int work = round(nowNs);
                if (borrower.news(rounds.worked()) || work > 0) {
                    if (spun) {
                        borrower.spins().onCaught();
                    }
                    return Math.max(1, work);
                }
                nowNs = System.nanoTime();
                if (!usable() || nowNs - startNs >= timeoutNs || over.getAsBoolean()) {
                    return 0;
                }
                Threads.interrupted(true);
                spun = idle(borrower.spins(), nowNs, startNs, timeoutNs, over);
                nowNs = System.nanoTime();
            }
        } finally {
            borrower.leave();
            leave(borrower);
        }
    }

    private void enter(EngineBorrower borrower) {
        if (last != borrower) {
            loop.own();
            last = borrower;
        }
        borrower.enter();
    }

    /** Spins, or sleeps. Returns whether it has spun. */
    private boolean idle(SpinBudget spins, long nowNs, long startNs, long timeoutNs, BooleanSupplier over) {
        long idleNs = nowNs - startNs;
        if (idleNs >= spins.spinNs(nowNs)) {
            sleep(spins, nowNs, timeoutNs - idleNs, over);
            return false;
        }
        if (idleNs < POLITE_AFTER_NS) {
            Thread.onSpinWait();
        } else {
            SpinBudget.pause();
        }
        return true;
    }

    private void sleep(SpinBudget spins, long nowNs, long leftNs, BooleanSupplier over) {
        long sleepNs = Math.min(Math.min(leftNs, LONGEST_SLEEP_NS), Times.leftNs(engine.nextDeadlineNs(), nowNs));
        if (sleepNs < loop.finestWaitNs()) {
            SpinBudget.pause();
            return;
        }
        ownership.fallAsleep();
        try {
            if (!stopping && !engine.hasWork() && !over.getAsBoolean()) {
                select(sleepNs);
                spins.onParked(System.nanoTime() - nowNs);
            }
        } catch (RuntimeException | Error e) {
            contain(e);
        } finally {
            ownership.wakeUp();
        }
    }

    private void select(long sleepNs) {
        waits.starts();
        try {
            rounds.select(sleepNs);
        } finally {
            waits.ended();
        }
    }

    private int round(long nowNs) {
        try {
            int work = rounds.round(nowNs);
            rounds.completeClosing();
            return work;
        } catch (RuntimeException | Error e) {
            contain(e);
            return 1;
        }
    }

    private void turn() {
        try {
            rounds.turn(System.nanoTime());
            rounds.completeClosing();
        } catch (RuntimeException | Error e) {
            contain(e);
        }
    }

    /** What fails is the engine's end, and not that of the thread that has borrowed it. The engine thread flushes what is posted. */
    private void contain(Throwable e) {
        if (!stopping && !rounds.continues(e)) {
            rounds.failed(e);
        }
        callEngineThread();
    }

    private void callEngineThread() {
        if (ownership.call()) {
            LockSupport.unpark(engineThread);
        }
    }

    /**
     * Releases the engine. A doorbell that was rung meanwhile finds it free, or this method finds the work. What the turn has left
     * to the next one, in order to be fair or to read again, is not waited for.
     */
    private void leave(EngineBorrower borrower) {
        ownership.giveBack();
        for (int repeats = 0; engine.rung() || stopping; repeats++) {
            if (repeats == MOST_REPEATS || !usable()) {
                callEngineThread();
                break;
            }
            if (!ownership.borrow()) {
                break; // another thread has it, and finds the work
            }
            enter(borrower);
            turn();
            borrower.leave();
            ownership.giveBack();
        }
        if (ownership.endRest()) {
            LockSupport.unpark(engineThread);
        }
    }

    /** The calling thread, if it borrowed the engine last, does something else for a while: the engine thread continues at once. */
    void release() {
        EngineBorrower lastBorrower = last;
        if (lastBorrower != null && lastBorrower.here() && !lastBorrower.inside()) {
            callEngineThread();
        }
    }

    // Doorbells of the thread that borrowed last.

    /**
     * Whether the calling thread, which has borrowed the engine before, has taken the free engine for a turn. {@link #answer} must
     * follow. So what it posts is sent at once, as by the owner of an INLINE RNIC, and no engine thread is called while a thread that
     * polls has the engine again and again.
     */
    boolean takeForDoorbell() {
        EngineBorrower borrower = borrowers.get();
        if (borrower == null || borrower.inside() || !usable() || !ownership.borrow()) {
            return false;
        }
        enter(borrower);
        borrower.held(true);
        return true;
    }

    /** Runs the turn of {@link #takeForDoorbell}. Returns false if the calling thread has not taken the engine. */
    boolean answer() {
        EngineBorrower lastBorrower = last;
        if (lastBorrower == null || !lastBorrower.here() || !lastBorrower.held()) {
            return false;
        }
        lastBorrower.held(false);
        boolean upToDate = lastBorrower.seen() == rounds.worked();
        try {
            turn();
        } finally {
            lastBorrower.leave();
            if (upToDate) {
                lastBorrower.news(rounds.worked()); // its own work does not end its next wait
            }
            leave(lastBorrower);
        }
        return true;
    }

    /** The thread that has taken the engine for a doorbell works inside it without a turn. What it posts there is left to a turn. */
    boolean beginPost() {
        EngineBorrower lastBorrower = last;
        if (lastBorrower == null || !lastBorrower.here() || !lastBorrower.held()) {
            return false;
        }
        lastBorrower.held(false);
        return true;
    }

    /** Ends {@link #beginPost}: the engine is held again. */
    void endPost() {
        EngineBorrower lastBorrower = last;
        if (lastBorrower != null) {
            lastBorrower.held(true);
        }
    }

    /** Ends {@link #takeForDoorbell} without a turn. */
    void letGoUnused() {
        EngineBorrower lastBorrower = last;
        if (lastBorrower == null || !lastBorrower.here() || !lastBorrower.held()) {
            return;
        }
        lastBorrower.held(false);
        lastBorrower.leave();
        leave(lastBorrower);
    }

    // Operations on the streams outside of a turn.

    @Override
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public boolean hold() {
        Thread current = Thread.currentThread();
        return current == engineThread ? ownership.drivenByEngineThread() : inside(current);
    }

    @Override
    public void letGo() {
        // It was inside before, and remains.
    }
}
