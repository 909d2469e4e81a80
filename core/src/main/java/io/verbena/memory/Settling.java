package io.verbena.memory;

import java.lang.invoke.VarHandle;

/**
 * The wait of an engine that took something away inside its own turn, as a bind or a Send with Invalidate does: for all
 * engines but itself. The same as {@link Revocation}, made once and used again and again. It never blocks: the engine asks
 * {@link #settled()} in this turn and later ones.
 */
public final class Settling {

    private final EngineEpoch[] others;
    private final long[] observed;
    private int waitingFor;

    Settling(EngineEpoch[] others) {
        this.others = others;
        observed = new long[others.length];
    }

    /** Whether there is no other engine, so that there is nothing to wait for. */
    public boolean alone() {
        return others.length == 0;
    }

    /** What was taken away matches nothing any more: who is inside now? */
    public void begin() {
        if (others.length == 0) {
            return;
        }
        VarHandle.fullFence();
        for (int i = 0; i < others.length; i++) {
            observed[i] = others[i].observe();
        }
        waitingFor = others.length;
    }

    /** Whether all engines that were inside have left. Once true, it stays true until the next beginning. */
    public boolean settled() {
        while (waitingFor > 0 && others[waitingFor - 1].hasPassed(observed[waitingFor - 1])) {
            waitingFor--;
        }
        return waitingFor == 0;
    }
}
