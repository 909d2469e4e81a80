package io.verbena.notify;

import io.verbena.base.WaitPoint;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Time, waits and reports as the test wants them. */
final class FakeNotificationHost implements NotificationHost {

    long nowNs = 1000;
    boolean mustNotWait;

    /** What happens while a thread waits. */
    Runnable whileWaiting = () -> {};

    final FakeProcessor processor = new FakeProcessor();
    final List<String> runs = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<Long> waits = new ArrayList<>();
    int signals;

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return new WaitPoint() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutNs) {
                waits.add(timeoutNs);
                whileWaiting.run();
                return condition.getAsBoolean();
            }

            @Override
            public void signal() {
                signals++;
            }
        };
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return processor;
    }

    @Override
    public boolean mustNotWait() {
        return mustNotWait;
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        runs.add("handler " + handler + " cq " + cq + " after " + toHandlerNs + " for " + inHandlerNs + " polled "
                + completions);
    }

    @Override
    public void onProcessorFailed(CqHandlerId handler, String sentence) {
        failures.add(sentence);
    }
}
