package io.verbena.host.engine;

import io.verbena.base.Times;
import io.verbena.host.system.InterruptibleWait;
import io.verbena.rnic.context.EngineActivity;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives the engine of an INLINE RNIC in the thread that owns it, as a member of the {@link ProgressGroup} of that
 * thread. The owner is the thread that created it, until another thread adopts it. While the owner does not drive it, a
 * {@link StandIn} does. One thread at a time is inside: {@link #busy} is acquired before any access to the engine.
 *
 * <p>Over 500 lines: all of it happens in the one thread that is inside, and excludes the others by one word.
 */
public final class InlineDriver implements EngineLoop.Exclusion {

    private static final VarHandle BUSY;
    private static final VarHandle ROUNDS;
    private static final VarHandle WORKED;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(InlineDriver.class, "busy", boolean.class);
            ROUNDS = MethodHandles.lookup().findVarHandle(InlineDriver.class, "rounds", long.class);
            WORKED = MethodHandles.lookup().findVarHandle(InlineDriver.class, "worked", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long ADOPTION_TIMEOUT_NS = 10_000_000_000L;
    private static final int MOST_REPEATS = 8;

    /**
     * Posts without a poll of the streams. A program that finds a completion after each post never polls for lack of one, and would
     * notice neither the end of its peer nor what the peer requests.
     */
    private static final int MOST_UNPOLLED = 64;

    private static final long STREAMLESS_DOZE_NS = 1_000_000;

    private static final BooleanSupplier NOTHING = () -> false;

    private final EngineLoop loop;
    private final Driven engine;
    private final InlineHandlers handlers;
    private final InterruptibleWait waits;
    private volatile Thread owner;
    private volatile ProgressGroup group;
    private volatile boolean closed;
    private final Wakeups wakeups = new Wakeups();
    private final BooleanSupplier over = this::over;
    private final BooleanSupplier sleepless = this::sleepless;

    /** The streams have failed. Accessed by the thread that is inside. */
    private boolean streamless;

    private final TurnTime time = new TurnTime();

    /** Held during each turn, so that the owner, a previous owner and a stand-in exclude each other. */
    @SuppressWarnings("UnusedVariable") // through BUSY
    private volatile boolean busy;

    /** How often the owner was inside. Written by the owner. */
    @SuppressWarnings("UnusedVariable") // through ROUNDS
    private long rounds;

    /** Rounds of the owner that had work. Written by the owner. */
    @SuppressWarnings("UnusedVariable") // through WORKED
    private long worked;

    /** The thread that drives the engine instead of the owner now. */
    private volatile @Nullable Thread standingIn;

    // The owner's own.
    private long begun; // see Wakeups
    private BooleanSupplier seen = NOTHING; // what ends the present wait besides
    private int unpolled;
    private boolean inside;
    private boolean held; // acquired for a doorbell; released by the turn that follows

    /** Owned by the calling thread. */
    public InlineDriver(EngineLoop loop, Driven engine, InlineHandlers handlers) {
        this.loop = loop;
        this.engine = engine;
        this.handlers = handlers;
        waits = new InterruptibleWait(loop::wakeup);
        owner = Thread.currentThread();
        group = ProgressGroup.current();
        loop.own();
        group.add(this);
    }

    /** The group of the owner, which must be the calling thread. */
    ProgressGroup group() {
        if (standsIn()) {
            throw new IllegalStateException("A callback that runs within an engine turn must not wait for the RNIC; "
                    + "wait after the callback has returned.");
        }
        if (!owned()) {
            throw new IllegalStateException("This INLINE RNIC belongs to thread '" + owner.getName() + "', but thread '"
                    + Thread.currentThread().getName()
                    + "' uses it. Call adopt() in the thread that continues to use "
                    + "the RNIC, or open it with Progress.ENGINE_THREAD.");
        }
        return group;
    }

    /** Rejects threads other than the owner and the stand-in. */
    public void checkCaller() {
        if (!standsIn()) {
            group();
        }
    }

    /** Work from another side than the streams: the owner's own doorbell. */
    public void wake() {
        if (!standsIn()) { // its turn is in progress, and checks again
            group().ring(this);
        }
    }

    /** Drives all engines of the owner, for a program that polls. */
    public int progress(InlinePoller poller) {
        return standsIn() ? 0 : group().look(poller);
    }

    /** Drives all engines of the owner; waits at most this long for work. */
    public int progress(long timeoutNs) {
        return progress(timeoutNs, NOTHING);
    }

    /** The same; ends when the condition is true, which a peer that writes memory directly can make it. */
    public int progress(long timeoutNs, BooleanSupplier condition) {
        if (standsIn()) {
            return 0;
        }
        ProgressGroup progressGroup = group();
        begun = wakeups.begin();
        BooleanSupplier outer = seen; // of a wait in whose handler this one is
        seen = condition;
        try {
            return progressGroup.drive(timeoutNs, over);
        } finally {
            seen = outer;
        }
    }

    private boolean over() {
        return closed || wakeups.end(begun) || seen.getAsBoolean();
    }

    /**
     * The same when peers know that this thread sleeps. What the program throws is no failure of the engine: it is
     * asked again outside.
     */
    private boolean sleepless() {
        try {
            return seen.getAsBoolean();
        } catch (Throwable e) {
            return true;
        }
    }

    /** Ends the present or the next {@link #progress(long)}. Any thread. */
    public void endProgress() {
        wakeups.call();
        group.wakeup();
    }

    /** Ends {@link #doze}. Any thread. */
    void wakeup() {
        loop.wakeup();
    }

    /** Makes the calling thread the owner. */
    public void adopt() {
        if (owned()) {
            return;
        }
        long deadlineNs = System.nanoTime() + ADOPTION_TIMEOUT_NS;
        while (!enter()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new IllegalStateException("This INLINE RNIC cannot be adopted: thread '" + owner.getName()
                        + "' is still working inside it.");
            }
            Thread.onSpinWait();
        }
        try {
            group.remove(this);
            owner = Thread.currentThread();
            group = ProgressGroup.current();
            loop.own();
            if (!closed) {
                group.add(this);
            }
        } finally {
            leave();
        }
    }

    /** Whether the calling thread is the owner. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean owned() {
        return owner == Thread.currentThread();
    }

    /** Whether the calling thread is the stand-in, within a turn. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    private boolean standsIn() {
        return standingIn == Thread.currentThread();
    }

    private boolean enter() {
        return BUSY.compareAndSet(this, false, true);
    }

    /** Enters a turn of the owner. */
    private boolean enterOwned() {
        if (!held && !enter()) {
            return false;
        }
        held = false;
        inside = true;
        ROUNDS.setOpaque(this, (long) ROUNDS.getOpaque(this) + 1);
        return true;
    }

    private void leaveOwned() {
        inside = false;
        leave();
    }

    /**
     * Gives the calling thread, if it is the owner, exclusive access until {@link #wake}, which must follow.
     *
     * @return false if another thread is the owner, or is inside now
     */
    @Override
    public boolean hold() {
        if (standsIn()) {
            return true;
        }
        if (!owned()) {
            return false;
        }
        held = !inside && (held || enter());
        return held || inside;
    }

    /** Releases the exclusive access without a turn. */
    @Override
    public void letGo() {
        if (held) {
            held = false;
            leave();
        }
    }

    /** The owner, which holds the engine, works inside it outside of a turn. What it posts there is left to a turn. */
    public boolean beginPost() {
        if (!held || !group.beginPost()) {
            return false;
        }
        held = false;
        inside = true;
        return true;
    }

    public void endPost() {
        group.endPost();
        inside = false;
        held = true;
    }

    /** The owner, which holds the engine, has executed what it has posted: no turn is needed. */
    public void posted() {
        if (held && (++unpolled >= MOST_UNPOLLED || engine.hasWork())) {
            group.ring(this);
        } else if (held) {
            group.posted();
            letGo();
        }
    }

    /** What the owner has done: it does not measure its time, and whether it sleeps is its own matter. Any thread. */
    public EngineActivity activity() {
        return new EngineActivity((long) WORKED.getOpaque(this), OptionalLong.empty(), OptionalLong.empty());
    }

    // The stand-in.

    /** The number of turns of the owner, from which the stand-in sees whether the owner is active. */
    long ownerRounds() {
        return (long) ROUNDS.getOpaque(this);
    }

    /**
     * Polls the streams and runs the engine in a thread other than the owner's, if the owner is not inside. Handlers
     * run in the owner's thread only.
     */
    void standIn() {
        int repeats = 0;
        do {
            if (!enter()) {
                return;
            }
            standingIn = Thread.currentThread();
            try {
                if (closed) {
                    return;
                }
                if (!streamless) {
                    loop.poll();
                }
                turnOnce(System.nanoTime());
            } catch (Throwable e) {
                if (!goesOn(e)) {
                    throw e;
                }
            } finally {
                standingIn = null;
                leave();
            }
            // A doorbell that the owner rang meanwhile is visible now, or the owner found this thread outside.
            VarHandle.fullFence();
        } while (engine.hasWork() && ++repeats < MOST_REPEATS);
    }

    private void leave() {
        BUSY.setRelease(this, false);
    }

    // In the owner's thread, by its group.

    InlineHandlers handlers() {
        return handlers;
    }

    /**
     * Polls the streams and runs the engine; returns a measure of work. See {@link EngineThread} for why the result of
     * the turn is not used.
     */
    int round(long nowNs) {
        return round(nowNs, true);
    }

    /**
     * The same without the time: what the engine does by itself, such as deadlines, is left to the next round that has
     * it.
     */
    int glance() {
        return engine.needsTurns() ? round(System.nanoTime(), true) : round(0, false);
    }

    private int round(long nowNs, boolean timed) {
        if (!owned() || !enterOwned()) {
            return 0; // being adopted, or another thread is the stand-in
        }
        try {
            if (closed) {
                return 0;
            }
            unpolled = 0;
            boolean rung = engine.hasWork();
            int events = streamless ? 0 : loop.poll();
            int work = 0;
            if (timed) {
                work = turnOnce(nowNs);
            } else if (rung || engine.hasWork()) {
                work = turnOnce(System.nanoTime());
            }
            if (!streamless && !closed) {
                events += loop.progressed();
            }
            if (!rung && events == 0) {
                return 0;
            }
            WORKED.setOpaque(this, (long) WORKED.getOpaque(this) + 1);
            return Math.max(1, events + work);
        } catch (Throwable e) {
            if (!goesOn(e)) {
                throw e;
            }
            return 1;
        } finally {
            leaveOwned();
        }
    }

    /** Runs the engine. What it closed is closed at once: the owner may end without another round. */
    private int turnOnce(long nowNs) {
        int work = engine.turn(time.at(nowNs));
        if (!streamless && !closed) {
            loop.completeClosing();
        }
        return work;
    }

    /** What fails is the engine's end and not the owner's: it is driven on without streams, to flush what is posted. */
    private boolean goesOn(Throwable e) {
        if (closed) {
            return true; // a callback has closed the RNIC
        }
        if (streamless || !engine.onFailure(e)) {
            return false;
        }
        streamless = true;
        return true;
    }

    /** Runs the engine only, unless the owner has posted often since it polled the streams last. */
    void turn(long nowNs) {
        if (enterOwned()) {
            try {
                if (!closed) {
                    if (++unpolled >= MOST_UNPOLLED && !streamless) {
                        unpolled = 0;
                        loop.poll();
                    }
                    turnOnce(nowNs);
                }
            } catch (Throwable e) {
                if (!goesOn(e)) {
                    throw e;
                }
            } finally {
                leaveOwned();
            }
        }
    }

    /** The shortest time that {@link #doze} waits for. */
    long finestWaitNs() {
        return loop.finestWaitNs();
    }

    void doze(long timeoutNs) {
        if (owned() && enterOwned()) {
            try {
                if (streamless) {
                    LockSupport.parkNanos(Math.min(timeoutNs, STREAMLESS_DOZE_NS));
                } else if (!closed && !engine.hasWork()) {
                    select(timeoutNs);
                }
            } catch (Throwable e) {
                if (!goesOn(e)) {
                    throw e;
                }
            } finally {
                leaveOwned();
            }
        }
    }

    private void select(long timeoutNs) {
        waits.starts();
        try {
            loop.select(timeoutNs, sleepless);
        } finally {
            waits.ended();
        }
    }

    /** Time until the next deadline of the engine. */
    long leftNs(long nowNs) {
        if (!enter()) {
            return 0; // another thread is inside, for a moment
        }
        try {
            return Times.leftNs(engine.nextDeadlineNs(), nowNs);
        } finally {
            leave();
        }
    }

    /**
     * Stops driving the engine. After it returned true, no other thread is inside, so that the streams can be closed. A
     * thread that waits inside is woken.
     *
     * @return false if another thread did not leave in time
     */
    public boolean close(long timeoutNs) {
        if (closed) {
            return true;
        }
        closed = true;
        group.remove(this);
        if (owned() || standsIn()) {
            return true;
        }
        long startNs = System.nanoTime();
        loop.wakeup();
        while (!enter()) {
            if (System.nanoTime() - startNs > timeoutNs) {
                return false;
            }
            Thread.yield();
        }
        leave();
        return true;
    }
}
