package io.verbena.engine;

import io.verbena.base.DoorbellStack;
import io.verbena.base.Times;
import org.jspecify.annotations.Nullable;

/**
 * What an engine serves: the protocol of a queue pair, a peer in set-up, a timer. It is in the engine's ready ring while it has
 * something to do, and among the engine's deadlines while it waits for a time. The endpoint of a queue pair is also the bell
 * that {@link RnicEngine#ring} rings. The engine that owns it calls every method.
 */
public abstract class Endpoint extends DoorbellStack.Bell {

    /** The value of a deadline that is not set. */
    public static final long NEVER = Times.NEVER;

    // The engine's own marks, so that serving allocates nothing.
    @Nullable
    Endpoint nextReady;

    boolean ready;
    boolean awaitsMemory;
    int memberIndex = -1;
    int deadlineIndex = -1;
    long deadlineNs = NEVER;

    /** Does what can be done now, within the byte budgets of a turn. */
    protected abstract void service(long nowNs);

    /** The turn ends, and the endpoint has asked for this call; see {@link RnicEngine#atTurnEnd}. */
    protected void onTurnEnd() {}

    /** The deadline has passed; {@link #service} follows. */
    protected void onDeadline(long nowNs) {}

    /** Serving it failed by a bug: it releases what it holds without another try. */
    protected abstract void onBug(String sentence, long nowNs);

    /** A hash of all state that determines its further behaviour. */
    protected abstract long stateDigest();

    /** Its doorbell was rung: work was posted. */
    protected void onDoorbell() {}

    /**
     * The thread that drives the engine posted work, perhaps outside of a turn. Returns false when the bell must be rung all the
     * same, because the work needs a turn.
     */
    protected boolean onOwnDoorbell() {
        return false;
    }

    /** Completions found no room in a CQ and are tried again; returns true when nothing is left, or no consumer. */
    protected boolean retryFlush() {
        return true;
    }
}
