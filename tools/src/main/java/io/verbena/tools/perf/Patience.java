package io.verbena.tools.perf;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Stalled;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionQueue;
import java.time.Duration;

/**
 * What a measuring loop does when there is nothing to do: spin for a while, then wait properly, and in the end give up. Costs a
 * field's store while things move.
 */
final class Patience {

    /** About 50 microseconds with an engine thread. */
    private static final int SPINS = 1000;

    /** About as long where each is a turn of the engine. */
    private static final int INLINE_SPINS = 100;

    private static final Duration SLICE = Duration.ofMillis(100);

    private final CompletionQueue cq;
    private final boolean inline;
    private final int most;
    private final long timeoutNs;
    private final StopSignal stop;
    private int spins;
    private boolean idle;
    private long idleSinceNs;
    private boolean exhausted;

    /**
     * Patience with a peer.
     *
     * @param inline whether polling does the RNIC's work
     * @param timeout how long the peer may do nothing
     */
    Patience(CompletionQueue cq, boolean inline, Duration timeout, StopSignal stop) {
        this.cq = cq;
        this.inline = inline;
        this.most = inline ? INLINE_SPINS : SPINS;
        this.timeoutNs = Times.nanos(timeout);
        this.stop = stop;
    }

    /** Something happened. */
    void moved() {
        spins = 0;
        idle = false;
    }

    /** Nothing happened, and what is awaited will complete. */
    void awaitCompletion(String what) throws Failure {
        if (spin()) {
            return;
        }
        if (cq.await(SLICE)) {
            moved();
        } else {
            check(what);
        }
    }

    /**
     * Nothing happened, and what is awaited appears in memory, without a completion.
     *
     * @return whether it is time to look at the completions too
     */
    boolean awaitMemory(String what) throws Failure {
        if (spin()) {
            return false;
        }
        spins = 0;
        if (!inline) { // the polls of an INLINE RNIC give the processor away themselves
            Thread.yield(); // to the peer, where processors are few
        }
        check(what);
        return true;
    }

    private boolean spin() {
        if (spins++ < most) {
            if (!inline) {
                Thread.onSpinWait();
            }
            return true;
        }
        return false;
    }

    /** Whether it has come to its end. */
    boolean exhausted() {
        return exhausted;
    }

    private void check(String what) throws Failure {
        stop.check();
        long nowNs = System.nanoTime();
        if (!idle) {
            idle = true;
            idleSinceNs = nowNs;
        } else if (nowNs - idleSinceNs > timeoutNs) {
            exhausted = true;
            throw new Stalled(Duration.ofNanos(timeoutNs), what);
        }
    }
}
