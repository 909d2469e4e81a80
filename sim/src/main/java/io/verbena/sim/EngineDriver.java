package io.verbena.sim;

import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.port.FaultyLoop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Drives one engine: runs its turn some time after it was woken or received an event, when it has work, and when its
 * deadline has passed. It never runs a turn without such a reason, so that an engine that fails to request one is
 * detected.
 */
final class EngineDriver {

    private final World world;
    private final VirtualHost host;
    private final int index;
    private @Nullable RnicEngine engine;
    private Optional<FaultyLoop> wrapper = Optional.empty();

    private boolean turnScheduled;
    private boolean timerScheduled;
    private long timerAtNs;
    private int depth;

    EngineDriver(World world, VirtualHost host, int index) {
        this.world = world;
        this.host = host;
        this.index = index;
    }

    void wrapper(FaultyLoop loop) {
        wrapper = Optional.of(loop);
    }

    void engine(RnicEngine newEngine) {
        engine = newEngine;
    }

    boolean dead() {
        return host.closed();
    }

    /** Whether the engine's thread is at work now; a script without an engine may do what it likes at any time. */
    boolean inside() {
        return depth > 0 || engine == null;
    }

    /** Runs an action in the engine's thread, as a loop does that reports events; a turn follows. */
    void enter(Runnable events) {
        depth++;
        world.enter();
        try {
            events.run();
        } finally {
            depth--;
            world.leave();
        }
        wake();
    }

    /** Schedules a turn soon. */
    void wake() {
        if (!turnScheduled && !dead()) {
            turnScheduled = true;
            world.after(world.weather().turnDelayNs(), () -> {
                turnScheduled = false;
                turn();
            });
        }
    }

    /** Runs a turn now, unless one is in progress. Returns the amount of work done. */
    int turn() {
        RnicEngine mine = engine;
        if (mine == null || depth > 0 || dead()) {
            return 0;
        }
        int work;
        depth++;
        world.enter();
        try {
            wrapper.ifPresent(loop -> loop.turn(world.nowNs()));
            work = mine.turn(world.nowNs());
            world.mix(mine.stateDigest());
        } catch (Throwable e) {
            world.failed(e);
            throw e;
        } finally {
            depth--;
            world.leave();
        }
        if (mine.hasWork()) {
            wake();
        }
        setTimer();
        return work;
    }

    private long nextDeadlineNs() {
        RnicEngine mine = engine;
        long nextNs = mine == null ? Times.NEVER : mine.nextDeadlineNs();
        long heldUntilNs = wrapper.map(FaultyLoop::nextDeadlineNs).orElse(FaultyLoop.NEVER);
        return Times.earlier(nextNs, heldUntilNs);
    }

    private void setTimer() {
        long deadlineNs = nextDeadlineNs();
        if (deadlineNs == Times.NEVER || turnScheduled) {
            return; // a scheduled turn sets it again
        }
        long atNs = deadlineNs - world.nowNs() > 0 ? deadlineNs : world.nowNs() + 1;
        if (timerScheduled && atNs - timerAtNs >= 0) {
            return;
        }
        timerScheduled = true;
        timerAtNs = atNs;
        world.atTime(atNs, () -> onTimer(atNs));
    }

    private void onTimer(long atNs) {
        if (dead() || !timerScheduled || atNs != timerAtNs) {
            return; // an earlier one took its place
        }
        timerScheduled = false;
        long deadlineNs = nextDeadlineNs();
        if (deadlineNs != Times.NEVER && deadlineNs - world.nowNs() <= 0) {
            turn();
        } else {
            setTimer();
        }
    }

    @Override
    public String toString() {
        return host + " engine " + index;
    }
}
