package io.verbena.host;

import io.verbena.base.Times;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Drives the engine of an INLINE RNIC in the thread that owns it, as a member of that thread's {@link ProgressGroup}. The
 * owner is who made it, until another thread adopts it. While the owner stays away a {@link StandIn} drives it. One thread at a time is
 * inside: {@link #busy} is taken before anything of the engine is touched.
 */
final class InlineDriver {

    private static final VarHandle BUSY;
    private static final VarHandle ROUNDS;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(InlineDriver.class, "busy", boolean.class);
            ROUNDS = MethodHandles.lookup().findVarHandle(InlineDriver.class, "rounds", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long ADOPTION_TIMEOUT_NS = 10_000_000_000L;
    private static final int MOST_REPEATS = 8;
    private static final long STREAMLESS_DOZE_NS = 1_000_000;

    private final EngineLoop loop;
    private final Driven engine;
    private final InlineHandlers handlers;
    private volatile Thread owner;
    private volatile ProgressGroup group;
    private volatile boolean closed;

    /** The streams have failed. Of whoever is inside. */
    private boolean streamless;

    /** Taken around each turn: neither an old owner nor a stand-in is inside while another is. */
    @SuppressWarnings("UnusedVariable") // through BUSY
    private volatile boolean busy;

    /** How often the owner was inside. Written by the owner. */
    @SuppressWarnings("UnusedVariable") // through ROUNDS
    private long rounds;

    /** The thread that stands in for the owner now. */
    private volatile @Nullable Thread standingIn;

    // The owner's own.
    private boolean inside;
    private boolean held; // taken for a doorbell; the turn that follows gives it back

    /** Owned by the calling thread. */
    InlineDriver(EngineLoop loop, Driven engine, InlineHandlers handlers) {
        this.loop = loop;
        this.engine = engine;
        this.handlers = handlers;
        owner = Thread.currentThread();
        group = ProgressGroup.current();
        loop.own();
        group.add(this);
    }

    /** The group of the owner, which must be the calling thread. */
    ProgressGroup group() {
        if (standsIn()) {
            throw new IllegalStateException("A callback that runs inside the RNIC's work must not wait for the RNIC: "
                    + "wait after it returned.");
        }
        if (!owned()) {
            throw new IllegalStateException("This INLINE RNIC belongs to thread '" + owner.getName() + "', but thread '"
                    + Thread.currentThread().getName()
                    + "' uses it. Call adopt() on the RNIC in the thread that goes on "
                    + "with it, or open it with an engine thread.");
        }
        return group;
    }

    /** Work from another side than the streams: the owner's own doorbell. */
    void wake() {
        if (!standsIn()) { // its turn is under way, and looks again
            group().ring(this);
        }
    }

    /** Drives all engines of the owner, for a program that looks again and again. */
    int progress() {
        return standsIn() ? 0 : group().look();
    }

    /** The same; waits at most this long for something to do. */
    int progress(long timeoutNs) {
        return standsIn() ? 0 : group().drive(timeoutNs);
    }

    /** Gives the engine to the calling thread. */
    void adopt() {
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

    /** Whether it belongs to the calling thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean owned() {
        return owner == Thread.currentThread();
    }

    /** Whether the calling thread stands in for the owner, inside a turn. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    private boolean standsIn() {
        return standingIn == Thread.currentThread();
    }

    private boolean enter() {
        return BUSY.compareAndSet(this, false, true);
    }

    /** For the owner's turn. */
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
     * Makes the calling thread, if it owns the engine, the only one inside until {@link #wake}, which must follow.
     *
     * @return false when another thread is the owner, or is inside now
     */
    boolean hold() {
        if (standsIn()) {
            return true;
        }
        if (!owned()) {
            return false;
        }
        held = !inside && (held || enter());
        return held || inside;
    }

    /** No turn follows. */
    void letGo() {
        if (held) {
            held = false;
            leave();
        }
    }

    // The stand-in.

    /** How often the owner was inside, for the stand-in to see whether it stays away. */
    long ownerRounds() {
        return (long) ROUNDS.getOpaque(this);
    }

    /** Whether the thread that owns it has not ended. */
    boolean hasOwner() {
        return owner.isAlive() && !closed;
    }

    /** Streams, then the engine, in a thread that is not the owner, if the owner is not inside. Handlers stay the owner's. */
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
                engine.turn(System.nanoTime());
            } catch (Throwable e) {
                if (!goesOn(e)) {
                    throw e;
                }
            } finally {
                standingIn = null;
                leave();
            }
            // A bell of the owner that was rung meanwhile is visible now, or its owner found this thread outside.
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

    /** Streams, then the engine; returns a measure of work, see {@link EngineThread} for why it is not the turn's own. */
    int round() {
        if (!owned() || !enterOwned()) {
            return 0; // being adopted, or another thread stands in
        }
        try {
            if (closed) {
                return 0;
            }
            boolean rung = engine.hasWork();
            int events = streamless ? 0 : loop.poll();
            int work = engine.turn(System.nanoTime());
            return rung || events > 0 ? Math.max(1, events + work) : 0;
        } catch (Throwable e) {
            if (!goesOn(e)) {
                throw e;
            }
            return 1;
        } finally {
            leaveOwned();
        }
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

    /** The engine alone. */
    void turn() {
        if (enterOwned()) {
            try {
                if (!closed) {
                    engine.turn(System.nanoTime());
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

    void doze(long timeoutNs) {
        if (owned() && enterOwned()) {
            try {
                if (streamless) {
                    LockSupport.parkNanos(Math.min(timeoutNs, STREAMLESS_DOZE_NS));
                } else if (!closed && !engine.hasWork()) {
                    loop.select(timeoutNs);
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

    /** Time until the engine wants a turn in any case. */
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

    /** The engine is not driven any more. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        group.remove(this);
    }
}
