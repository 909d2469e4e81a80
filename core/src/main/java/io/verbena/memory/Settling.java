package io.verbena.memory;

import java.lang.invoke.VarHandle;

/**
 * The wait of an engine that has removed access inside its own turn, as a bind or a Send with Invalidate does: for all
 * engines except itself. Like {@link Revocation}, but reused. It never blocks: the engine calls {@link #settled()} in
 * this turn and in later ones.
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

    /** Starts to wait, after access was removed: records the engines that are inside a turn. */
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

    /**
     * Whether all engines that were inside have left. Once true, the result remains true until the next {@link #begin}.
     */
    public boolean settled() {
        while (waitingFor > 0 && others[waitingFor - 1].hasPassed(observed[waitingFor - 1])) {
            waitingFor--;
        }
        return waitingFor == 0;
    }
}
