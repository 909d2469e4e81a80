package io.verbena.sim;

import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.shm.SharedMemoryLoop;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives one engine: runs its turn some time after it was woken or received an event, when it has work, and when its
 * deadline has passed. It never runs a turn without such a reason, so that an engine that fails to request one is
 * detected.
 */
final class EngineDriver {

    private final Run run;
    private final String name;
    private @Nullable RnicEngine engine;

    /** Timers of the wrappers of this engine's streams. */
    private LongConsumer wrapperTurn = nowNs -> {};

    private LongConsumer afterTurn = nowNs -> {};

    private LongSupplier wrapperDeadlineNs = () -> Times.NEVER;

    private Optional<SharedMemoryLoop> rings = Optional.empty();
    private boolean turnScheduled;
    private boolean timerScheduled;
    private long timerAtNs;
    private int depth;
    private boolean dead;
    private boolean paused;

    EngineDriver(Run run, String name) {
        this.run = run;
        this.name = name;
    }

    void wrapper(LongConsumer turn, LongSupplier nextDeadlineNs) {
        wrapperTurn = turn;
        wrapperDeadlineNs = nextDeadlineNs;
    }

    /** The engine's streams go through shared memory, which is polled in each turn. */
    void rings(SharedMemoryLoop streams) {
        rings = Optional.of(streams);
    }

    /** What happens after each turn. */
    void afterTurn(LongConsumer action) {
        afterTurn = action;
    }

    void engine(RnicEngine newEngine) {
        engine = newEngine;
    }

    /** No turn takes place and no event is reported for a time: the process has no processor, or collects garbage. */
    void pause(long durationNs) {
        if (!paused && !dead) {
            paused = true;
            run.after(durationNs, () -> {
                paused = false;
                wake();
            });
        }
    }

    boolean paused() {
        return paused;
    }

    /** The host is closed or has died: no more turns. */
    void stop() {
        dead = true;
    }

    boolean dead() {
        return dead;
    }

    /** Whether the engine's thread is at work now; a script without an engine may do what it likes at any time. */
    boolean inside() {
        return depth > 0 || engine == null;
    }

    /** Runs an action in the engine's thread, as a loop does that reports events; a turn follows. */
    void enter(Runnable events) {
        depth++;
        run.enter();
        try {
            events.run();
        } finally {
            depth--;
            run.leave();
        }
        wake();
    }

    /** The program's thread uses the streams of an INLINE engine outside of a turn. Returns false if it cannot now. */
    boolean beginPost() {
        if (engine == null || depth > 0 || dead() || paused) {
            return false;
        }
        depth++;
        run.enter();
        return true;
    }

    void endPost() {
        depth--;
        run.leave();
    }

    /** Schedules a turn soon. */
    void wake() {
        if (!turnScheduled && !dead()) {
            turnScheduled = true;
            run.after(run.weather().turnDelayNs(), () -> {
                turnScheduled = false;
                turn();
            });
        }
    }

    /** Runs a turn now, unless one is in progress. Returns the amount of work done. */
    int turn() {
        RnicEngine currentEngine = engine;
        if (currentEngine == null || depth > 0 || dead() || paused) {
            return 0;
        }
        int work;
        depth++;
        run.enter();
        try {
            rings.ifPresent(SharedMemoryLoop::poll);
            wrapperTurn.accept(run.nowNs());
            work = currentEngine.turn(run.nowNs());
            afterTurn.accept(run.nowNs());
            // A turn without work changes nothing: polling programs take many of them, and a digest costs more than
            // such a turn.
            boolean stateCounts = work != 0 && run.tracesStates();
            run.mixTurn(work, stateCounts ? currentEngine.stateDigest() : 0);
        } catch (Throwable e) {
            run.failed(e);
            throw e;
        } finally {
            depth--;
            run.leave();
        }
        boolean asleep = rings.map(SharedMemoryLoop::fallAsleep).orElse(true);
        if (currentEngine.hasWork() || !asleep) {
            wake();
        }
        setTimer();
        return work;
    }

    private long nextDeadlineNs() {
        RnicEngine currentEngine = engine;
        long nextNs = currentEngine == null ? Times.NEVER : currentEngine.nextDeadlineNs();
        return Times.earlier(nextNs, wrapperDeadlineNs.getAsLong());
    }

    private void setTimer() {
        long deadlineNs = nextDeadlineNs();
        if (deadlineNs == Times.NEVER || turnScheduled || paused) {
            return; // a scheduled turn sets it again
        }
        long atNs = deadlineNs - run.nowNs() > 0 ? deadlineNs : run.nowNs() + 1;
        if (timerScheduled && atNs - timerAtNs >= 0) {
            return;
        }
        timerScheduled = true;
        timerAtNs = atNs;
        run.atTime(atNs, () -> onTimer(atNs));
    }

    private void onTimer(long atNs) {
        if (dead() || !timerScheduled || atNs != timerAtNs) {
            return; // an earlier one took its place
        }
        timerScheduled = false;
        long deadlineNs = nextDeadlineNs();
        if (deadlineNs != Times.NEVER && deadlineNs - run.nowNs() <= 0) {
            turn();
        } else {
            setTimer();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
