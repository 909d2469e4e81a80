package io.verbena.host.engine;

import org.jspecify.annotations.Nullable;

/** A thread that waits for the work of an RNIC by {@code progress}. One object per thread and RNIC. */
public final class EngineBorrower {

    /** One per thread: whether it is inside the engine of some RNIC that it has borrowed. */
    private static final class Inside {
        boolean entered;
    }

    private static final ThreadLocal<@Nullable Inside> OF_THREAD = new ThreadLocal<>();

    /** A program with more time than this between its polls computes: it leaves the engine to the engine thread. */
    private static final long RARE_LOOK_NS = 100_000;

    private final Thread thread = Thread.currentThread();
    private final Inside inside;
    private final SpinBudget spins = SpinBudget.ofBorrower();
    private final PollPause pause = new PollPause();

    /** When it has looked last, and since when it has found nothing. */
    private long lookedNs = System.nanoTime() - RARE_LOOK_NS;

    private long vainSinceNs = lookedNs;

    /** How many rounds of the RNIC had work when {@code progress} returned to this thread last. */
    private long seen;

    /** Whether it has taken the engine for a doorbell; the turn follows. */
    private boolean held;

    /** The calling thread. */
    EngineBorrower() {
        Inside current = OF_THREAD.get();
        if (current == null) {
            current = new Inside();
            OF_THREAD.set(current);
        }
        inside = current;
    }

    /** Whether the calling thread drives an engine with a thread of its own: as this thread, or as a borrower. */
    public static boolean drivesHere() {
        if (Thread.currentThread() instanceof EngineThread.Worker) {
            return true;
        }
        Inside current = OF_THREAD.get();
        return current != null && current.entered;
    }

    /** Whether it is the calling thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean here() {
        return thread == Thread.currentThread();
    }

    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean is(Thread other) {
        return thread == other;
    }

    /** Whether the thread is inside an engine that it has borrowed. For the thread. */
    boolean inside() {
        return inside.entered;
    }

    void enter() {
        inside.entered = true;
    }

    void leave() {
        inside.entered = false;
    }

    /** For how long its waits spin. For the thread. */
    SpinBudget spins() {
        return spins;
    }

    /** What it does between two looks that find nothing. For the thread. */
    PollPause pause() {
        return pause;
    }

    /** Whether the thread has taken the engine for a doorbell. For the thread. */
    boolean held() {
        return held;
    }

    void held(boolean value) {
        held = value;
    }

    /** The thread looks. Returns whether it polls repeatedly. For the thread. */
    boolean looksAgain(long nowNs) {
        boolean again = nowNs - lookedNs < RARE_LOOK_NS;
        lookedNs = nowNs;
        if (!again) {
            vainSinceNs = nowNs;
        }
        return again;
    }

    /** The look has found work. For the thread. */
    void found(long nowNs) {
        vainSinceNs = nowNs;
    }

    /** For how long the thread has looked repeatedly and found nothing. For the thread. */
    long inVainNs(long nowNs) {
        return nowNs - vainSinceNs;
    }

    /** Whether the RNIC has worked since this was asked last. For the thread. */
    boolean news(long worked) {
        if (seen == worked) {
            return false;
        }
        seen = worked;
        return true;
    }

    long seen() {
        return seen;
    }
}
