package io.verbena.engine;

import io.verbena.base.RandomSource;
import io.verbena.port.StreamLoop;
import java.util.ArrayList;
import java.util.List;

/** The outside of an engine: a clock that the test sets, and the calls in the order in which they were made. */
final class FakeHost implements EngineHost {

    long nowNs;

    /** Whether the calling thread drives the engine. */
    boolean held;

    final List<String> calls = new ArrayList<>();

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public RandomSource random() {
        return () -> 4;
    }

    @Override
    public StreamLoop streams(int engine) {
        throw new UnsupportedOperationException("engine " + engine + " has no streams here");
    }

    @Override
    public void wake(int engine) {
        calls.add("wake " + engine);
    }

    @Override
    public boolean hold(int engine) {
        return held;
    }

    @Override
    public void nudge(int engine) {
        calls.add("nudge " + engine);
    }

    /** The calls since the last time. */
    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }
}
