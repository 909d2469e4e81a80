package io.verbena.host.engine;

import io.verbena.host.system.Threads;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of one engine, whichever thread drives it: polls of its streams, turns, and what becomes of a failure. One thread
 * at a time, the owner of the engine, runs a round.
 */
final class EngineRounds {

    private static final VarHandle WORKED;

    static {
        try {
            WORKED = MethodHandles.lookup().findVarHandle(EngineRounds.class, "worked", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final EngineLoop loop;
    private final Driven engine;
    private final TurnTime time = new TurnTime();
    private volatile Runnable onWork = () -> {};

    /** The streams have failed: they are not used any more, and the engine is driven without them. */
    private volatile boolean streamless;

    private volatile @Nullable Throwable failure;

    /** How many rounds had work. Written by the owner of the engine. */
    @SuppressWarnings("UnusedVariable") // through WORKED
    private long worked;

    EngineRounds(EngineLoop loop, Driven engine) {
        this.loop = loop;
        this.engine = engine;
    }

    /** Calls this after each round that had work, in the thread that ran it. */
    void onWork(Runnable callback) {
        onWork = callback;
    }

    boolean streamless() {
        return streamless;
    }

    /** Whether neither the streams nor the engine have failed. Any thread. */
    boolean intact() {
        return !streamless && failure == null;
    }

    /** The failure that ended the engine before it was stopped, if any. Any thread. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The engine is not driven any more. */
    void failed(Throwable cause) {
        failure = cause;
        Threads.uncaught(cause);
    }

    /** How many rounds had work. Any thread. */
    long worked() {
        return (long) WORKED.getAcquire(this);
    }

    /**
     * Polls the streams, then runs the engine. Returns a measure of the work. The result of the engine turn does not decide
     * whether there was work, because an engine that reads its hot streams works in every round, whether they had bytes or not;
     * the streams know.
     */
    int round(long nowNs) {
        boolean rung = engine.hasWork();
        int events = streamless ? 0 : loop.poll();
        int work = engine.turn(time.at(nowNs));
        if (!streamless) {
            events += loop.progressed();
        }
        if (!rung && events == 0) {
            return 0;
        }
        countWork();
        return Math.max(1, events + work);
    }

    /** Runs the engine only. */
    void turn(long nowNs) {
        engine.turn(time.at(nowNs));
        countWork();
    }

    /** Sleeps in the selector. Returns the number of events. */
    int select(long timeoutNs) {
        int events = loop.select(timeoutNs);
        if (events > 0) {
            countWork();
        }
        return events;
    }

    private void countWork() {
        WORKED.setRelease(this, (long) WORKED.get(this) + 1);
        onWork.run();
    }

    /** Completes what a turn has closed, before the engine is left alone. */
    void completeClosing() {
        if (!streamless) {
            loop.completeClosing();
        }
    }

    /** A round has failed. A failure ends the engine, which is driven on in order to flush work posted to it. */
    boolean continues(Throwable cause) {
        if (streamless || !engine.onFailure(cause)) {
            return false;
        }
        streamless = true;
        return true;
    }
}
