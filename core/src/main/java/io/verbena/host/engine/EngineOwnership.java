package io.verbena.host.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who drives an engine with a thread of its own: that thread, a thread that waits for the RNIC and borrows the engine, or, for
 * a moment, none.
 *
 * <p><b>Why.</b> A message for a waiting thread costs a change of threads if the engine thread receives it: 1.6 to 4
 * microseconds and a second busy processor. A waiting thread has nothing else to do, so it drives the engine itself.
 *
 * <pre>
 *             claimed, at the end of a round            takes
 *   ENGINE  ---------------------------------&gt;  FREE  ---------&gt;  BORROWED
 *           &lt;---------------------------------        &lt;---------
 *             called, or free for a while               leaves
 * </pre>
 *
 * <p><b>Hand-over.</b> A borrower claims the engine. The engine thread reads the claim between two rounds, releases the engine
 * and stands aside: it parks, and neither polls nor waits in the selector. Only if it sleeps in the selector, the claim wakes it.
 * Each further borrowing is one compare-and-set. The engine thread takes the engine back when it has been free for a whole
 * period of its watch; it never takes it from a borrower that is inside, however long that is. A thread that was stopped or is
 * busy between two waits is therefore replaced, and a turn is never interrupted.
 *
 * <p><b>A program that polls</b> does not wait for the hand-over: it {@linkplain #ask asks} for the engine and returns. The request
 * remains until the engine thread releases the engine, which the program finds free at one of its next polls.
 *
 * <p><b>No doorbell is lost.</b> {@link EngineThread} explains the pattern (Dekker's) for a driver that sleeps. It holds for
 * each kind of driver, and here for the release in addition:
 *
 * <pre>
 *   ringer                                  driver that leaves
 *   writes work                             owner = FREE
 *   full fence                              full fence
 *   reads owner                             checks for work
 *     FREE: calls the engine thread           found: takes the engine again, or calls the engine thread
 *     else: the owner will find it            none:  done
 * </pre>
 *
 * The first of several ringers that find the engine free unparks the engine thread; the others find {@link #called} set. The
 * engine thread clears it by an exchange before it reads the owner, so what a ringer wrote before it found the call pending is
 * visible to the engine thread, or to the borrower that has taken the engine meanwhile.
 *
 * <p><b>A doorbell of the last borrower</b> costs no call: it takes the free engine for one turn and so sends at once
 * ({@link Borrowing#hold}).
 *
 * <p><b>Rest.</b> While a borrower does not leave for many periods (it sleeps in the selector), the engine thread stops its
 * watch: it sets {@link #resting}, then checks the owner. A borrower that leaves writes the owner, then reads {@link #resting},
 * and unparks the engine thread.
 */
public final class EngineOwnership {

    /** What a thread must do that has made work for the engine. */
    public enum Ring {
        /** Nothing: the engine is being driven, or is about to be. */
        NOTHING,
        /** Wake the driver, which sleeps in the selector. */
        WAKE_DRIVER,
        /** Unpark the engine thread, because no thread drives the engine. */
        CALL_ENGINE_THREAD
    }

    private static final int FREE = 0;
    private static final int ENGINE = 1;
    private static final int BORROWED = 2;

    private static final VarHandle OWNER = field("owner", int.class);
    private static final VarHandle ASLEEP = field("asleep", boolean.class);
    private static final VarHandle CLAIMED = field("claimed", boolean.class);
    private static final VarHandle CALLED = field("called", boolean.class);
    private static final VarHandle RESTING = field("resting", boolean.class);
    private static final VarHandle CHANGES = field("changes", long.class);

    private volatile int owner = ENGINE;

    /** The driver sleeps in the selector, or is about to. */
    private volatile boolean asleep;

    /** A thread borrows the engine, or waits for it. */
    private volatile boolean claimed;

    /** A thread that does not wait has asked for the engine since the engine thread released it last. */
    private volatile boolean asked;

    /** The engine thread has been unparked to take the engine. */
    @SuppressWarnings("UnusedVariable") // through CALLED
    private volatile boolean called;

    private volatile boolean resting;

    /** How often borrowers took and released the engine. Written by the owner. */
    @SuppressWarnings("UnusedVariable") // through CHANGES
    private long changes;

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(EngineOwnership.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Any thread.

    /** The calling thread has written work for the engine. */
    public Ring ring() {
        VarHandle.fullFence();
        if (asleep && ASLEEP.compareAndSet(this, true, false)) {
            return Ring.WAKE_DRIVER;
        }
        return owner == FREE && call() ? Ring.CALL_ENGINE_THREAD : Ring.NOTHING;
    }

    /** Whether a sleeping borrower must be woken, for a thread that has written a reason to end its wait. */
    public boolean ringBorrower() {
        VarHandle.fullFence();
        return owner == BORROWED && asleep && ASLEEP.compareAndSet(this, true, false);
    }

    /** Whether the caller must unpark the engine thread so that it takes the engine. */
    public boolean call() {
        return !(boolean) CALLED.getAndSet(this, true);
    }

    /** Whether a borrower is inside. */
    boolean borrowed() {
        return owner == BORROWED;
    }

    /** Whether the engine thread is. */
    boolean drivenByEngineThread() {
        return owner == ENGINE;
    }

    // The driver.

    /** The driver is about to sleep. It checks for work after this call. */
    public void fallAsleep() {
        asleep = true;
        VarHandle.fullFence();
    }

    /** The driver does not sleep any more. Returns whether a ringer has woken it. */
    public boolean wakeUp() {
        boolean rung = !asleep;
        asleep = false;
        return rung;
    }

    // Borrowers.

    /** Whether the calling thread, and no other, may borrow the engine until {@link #unclaim}. */
    public boolean claim() {
        return !claimed && CLAIMED.compareAndSet(this, false, true);
    }

    public void unclaim() {
        claimed = false;
    }

    /** Whether the claim must wake the driver, which sleeps. */
    public boolean ringForClaim() {
        VarHandle.fullFence();
        return asleep && ASLEEP.compareAndSet(this, true, false);
    }

    /**
     * The calling thread would take the engine, but does not wait for it. If the engine thread has the engine, it releases it
     * after its current round.
     *
     * @return whether the caller must wake the engine thread, which sleeps
     */
    public boolean ask() {
        if (owner != ENGINE) {
            return false;
        }
        asked = true;
        VarHandle.fullFence();
        return asleep && ASLEEP.compareAndSet(this, true, false);
    }

    /** Takes the free engine. */
    public boolean borrow() {
        if (owner != FREE || !OWNER.compareAndSet(this, FREE, BORROWED)) {
            return false;
        }
        CHANGES.setOpaque(this, (long) CHANGES.getOpaque(this) + 1);
        return true;
    }

    /** Releases the borrowed engine. The caller checks for work after this call. */
    public void giveBack() {
        CHANGES.setOpaque(this, (long) CHANGES.getOpaque(this) + 1);
        owner = FREE;
        VarHandle.fullFence();
    }

    /** Whether a borrower that has left must unpark the engine thread. */
    public boolean endRest() {
        return resting && RESTING.compareAndSet(this, true, false);
    }

    // The engine thread.

    /** Whether a thread wants to borrow the engine. */
    public boolean wanted() {
        return claimed || asked;
    }

    /** Releases the engine. The engine thread checks for work after this call. */
    public void lend() {
        asked = false;
        owner = FREE;
        VarHandle.fullFence();
    }

    /** Takes the free engine back. */
    public boolean takeBack() {
        return owner == FREE && OWNER.compareAndSet(this, FREE, ENGINE);
    }

    /** Whether it was called since this was asked last. */
    public boolean wasCalled() {
        return (boolean) CALLED.getAndSet(this, false);
    }

    /** A number that changes whenever a borrower takes or releases the engine. */
    long changes() {
        return (long) CHANGES.getOpaque(this);
    }

    /** Whether it may park for long: a borrower is inside, and unparks it when it leaves. {@link #rested} must follow. */
    public boolean rest() {
        resting = true;
        VarHandle.fullFence();
        if (owner == BORROWED) {
            return true;
        }
        resting = false;
        return false;
    }

    public void rested() {
        resting = false;
    }
}
