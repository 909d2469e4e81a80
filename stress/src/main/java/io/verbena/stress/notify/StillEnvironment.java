package io.verbena.stress.notify;

import io.verbena.base.RandomSource;
import io.verbena.base.WaitPoint;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.Environment;
import io.verbena.verbs.HandlerProcessor;
import java.util.function.BooleanSupplier;

/** An environment in which nothing happens by itself: the actors of a test are the engine and the consumer. */
final class StillEnvironment implements Environment {

    @Override
    public long nowNs() {
        return 0;
    }

    @Override
    public RandomSource random() {
        return () -> 1;
    }

    @Override
    public StreamLoop streams(int engine) {
        throw new IllegalStateException("there are no streams");
    }

    @Override
    public void wake(int engine) {}

    @Override
    public boolean inline() {
        return false;
    }

    @Override
    public int progress() {
        return 0;
    }

    @Override
    public void adopt() {}

    @Override
    public WaitPoint newWaitPoint() {
        return new WaitPoint() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutNs) {
                return condition.getAsBoolean();
            }

            @Override
            public void signal() {}
        };
    }

    /** Handlers run in the threads of actors. */
    @Override
    public WaitPoint newHandlerWaitPoint() {
        return new WaitPoint() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutNs) {
                while (!condition.getAsBoolean()) {
                    Thread.onSpinWait();
                }
                return true;
            }

            @Override
            public void signal() {}
        };
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return (handler, work) -> work.run();
    }

    @Override
    public void close() {}
}
