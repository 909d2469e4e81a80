package io.verbena.host;

import io.verbena.base.Times;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Drives the engine of an INLINE RNIC in the thread that owns it, as a member of that thread's {@link ProgressGroup}. The
 * owner is who made it, until another thread adopts it.
 */
final class InlineDriver {

    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(InlineDriver.class, "busy", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long ADOPTION_TIMEOUT_NS = 10_000_000_000L;

    private final EngineLoop loop;
    private final Driven engine;
    private final InlineHandlers handlers;
    private volatile Thread owner;
    private volatile ProgressGroup group;
    private volatile boolean closed;

    /** Taken around each turn: an old owner that drives its other engines must not be inside while this one moves. */
    @SuppressWarnings("UnusedVariable") // through BUSY
    private volatile boolean busy;

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
        group().ring(this);
    }

    /** Drives all engines of the owner, for a program that looks again and again. */
    int progress() {
        return group().look();
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

    private boolean enter() {
        return BUSY.compareAndSet(this, false, true);
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
        if (!owned() || !enter()) {
            return 0; // being adopted
        }
        try {
            if (closed) {
                return 0;
            }
            boolean rung = engine.hasWork();
            int events = loop.poll();
            int work = engine.turn(System.nanoTime());
            return rung || events > 0 ? Math.max(1, events + work) : 0;
        } finally {
            leave();
        }
    }

    /** The engine alone. */
    void turn() {
        if (enter()) {
            try {
                if (!closed) {
                    engine.turn(System.nanoTime());
                }
            } finally {
                leave();
            }
        }
    }

    void doze(long timeoutNs) {
        if (owned() && enter()) {
            try {
                if (!closed && !engine.hasWork()) {
                    loop.select(timeoutNs);
                }
            } finally {
                leave();
            }
        }
    }

    /** Time until the engine wants a turn in any case. */
    long leftNs(long nowNs) {
        return Times.leftNs(engine.nextDeadlineNs(), nowNs);
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
