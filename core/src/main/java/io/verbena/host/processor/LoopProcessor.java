package io.verbena.host.processor;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.host.engine.ParkingWaitPoint;
import io.verbena.host.system.Threads;
import io.verbena.notify.HandlerArbiter;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.ProcessorPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** A handler processor that the caller's own loop drives. */
final class LoopProcessor implements HandlerLoop {

    private final HandlerArbiter arbiter;
    private final WaitPoint signalled = new ParkingWaitPoint(() -> {});
    private volatile Runnable wake = () -> {};

    LoopProcessor(ProcessorPolicy policy) {
        arbiter = new HandlerArbiter("loop", policy, this::wake, Threads::uncaught);
    }

    private void wake() {
        signalled.signal();
        try {
            wake.run();
        } catch (Throwable e) {
            Threads.uncaught(e); // the signal remains pending: the next run of the loop finds it
        }
    }

    @Override
    public void signal(CqHandlerId handler, Runnable work) {
        arbiter.notice(work);
    }

    @Override
    public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
        return Optional.of(arbiter.attach(handler, options, source));
    }

    @Override
    public int run(int most) {
        return arbiter.run(most, System::nanoTime);
    }

    @Override
    public boolean await(Duration timeout) {
        if (arbiter.waiting(System.nanoTime()) > 0) {
            return true;
        }
        return signalled.await(() -> arbiter.rung() || arbiter.closed(), Times.nanos(timeout)) && arbiter.rung();
    }

    @Override
    public void onSignal(Runnable newWake) {
        wake = Objects.requireNonNull(newWake, "the action that wakes the loop must not be null");
        if (arbiter.rung()) {
            newWake.run();
        }
    }

    @Override
    public void close() {
        arbiter.close();
        signalled.signal();
    }

    @Override
    public String toString() {
        return "loop of the application";
    }
}
