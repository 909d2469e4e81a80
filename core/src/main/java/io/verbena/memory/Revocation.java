package io.verbena.memory;

import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The wait of one revocation: after keys were invalidated, it determines when every engine that was accessing memory
 * has left its turn. It does not block; the caller polls {@link #settled()} and has a time limit.
 *
 * <pre>
 *   table.deregister(region);                      // 1. no key matches any more
 *   Revocation wait = Revocation.begin(epochs);    // 2. record engines that are inside
 *   while (!wait.settled()) …                      // 3. park, or drive the engines of this thread
 *   region.release();                              // 4. nothing touches the memory now
 * </pre>
 *
 * <p>{@link EngineEpoch} explains why this is sufficient. One thread uses an object of this class.
 */
public final class Revocation {

    private final EngineEpoch[] engines;
    private final long[] observed;
    private int waitingFor;

    private Revocation(EngineEpoch[] engines) {
        this.engines = engines;
        observed = new long[engines.length];
        VarHandle.fullFence();
        for (EngineEpoch engine : engines) {
            long word = engine.observe();
            if (!engine.hasPassed(word)) {
                engines[waitingFor] = engine;
                observed[waitingFor++] = word;
            }
        }
    }

    /**
     * Records the engines that are inside a turn. The keys must be invalid already, and the list must contain all
     * engines that can use the table.
     *
     * @throws IllegalStateException as {@link #checkCaller} throws
     */
    public static Revocation begin(List<EngineEpoch> engines) {
        checkCaller(engines);
        return new Revocation(engines.toArray(EngineEpoch[]::new));
    }

    /**
     * Rejects a thread that cannot wait for a revocation. Precedes changes that a revocation must follow.
     *
     * @throws IllegalStateException on a thread that is inside a turn of one of the engines, such as a handler called
     *     by an engine: it would wait for itself
     */
    public static void checkCaller(List<EngineEpoch> engines) {
        for (EngineEpoch engine : engines) {
            if (engine.insideOnThisThread()) {
                throw new IllegalStateException("memory cannot be revoked from within a turn of the engine that may be"
                        + " using it: this thread would wait for itself; do it after the turn or on another thread");
            }
        }
    }

    /**
     * Records the engines for a caller inside the turn of an engine, such as one that delivers a Send with Invalidate:
     * that engine does not use the memory at this moment, so only the others are waited for.
     */
    public static Revocation beginFrom(EngineEpoch own, List<EngineEpoch> engines) {
        return new Revocation(engines.stream().filter(engine -> engine != own).toArray(EngineEpoch[]::new));
    }

    /** Whether all engines that were inside have left. Once true, the result remains true. */
    public boolean settled() {
        while (waitingFor > 0 && engines[waitingFor - 1].hasPassed(observed[waitingFor - 1])) {
            waitingFor--;
        }
        return waitingFor == 0;
    }
}
