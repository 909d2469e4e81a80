package io.verbena.stress.notify;

import io.verbena.base.WaitPoint;
import io.verbena.fixture.StillEnvironment;
import io.verbena.notify.NotificationHost;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;

/** What notification needs, in an environment in which nothing happens by itself. */
final class StillNotification implements NotificationHost {

    private final StillEnvironment environment = new StillEnvironment();

    @Override
    public long nowNs() {
        return environment.nowNs();
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return environment.newHandlerWaitPoint();
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return environment.defaultProcessor();
    }

    @Override
    public boolean mustNotWait() {
        return false;
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {}

    @Override
    public void onProcessorFailed(CqHandlerId handler, String sentence) {}
}
