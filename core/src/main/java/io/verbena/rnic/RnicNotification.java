package io.verbena.rnic;

import io.verbena.base.WaitPoint;
import io.verbena.notify.NotificationHost;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;

/** What a software RNIC gives to notification. */
final class RnicNotification implements NotificationHost {

    private final SoftRnic rnic;

    RnicNotification(SoftRnic rnic) {
        this.rnic = rnic;
    }

    @Override
    public long nowNs() {
        return rnic.environment().nowNs();
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return rnic.environment().newHandlerWaitPoint();
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return rnic.environment().defaultProcessor();
    }

    @Override
    public boolean mustNotWait() {
        return rnic.engineGroup().insideTurn();
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        rnic.environment().onHandlerRun(handler, cq, toHandlerNs, inHandlerNs, completions);
    }

    @Override
    public void onProcessorFailed(CqHandlerId handler, String sentence) {
        rnic.events().raise(AsyncEventType.HANDLER_PROCESSOR_FAILED, handler, sentence);
    }
}
