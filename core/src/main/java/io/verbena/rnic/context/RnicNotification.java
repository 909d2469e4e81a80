package io.verbena.rnic.context;

import io.verbena.base.WaitPoint;
import io.verbena.notify.NotificationHost;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;

/** The services of a software RNIC that notification uses. */
final class RnicNotification implements NotificationHost {

    private final RnicContext context;

    RnicNotification(RnicContext context) {
        this.context = context;
    }

    @Override
    public long nowNs() {
        return context.environment().nowNs();
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return context.environment().newHandlerWaitPoint();
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return context.environment().defaultProcessor();
    }

    @Override
    public boolean mustNotWait() {
        return context.engines().insideTurn();
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        context.environment().onHandlerRun(handler, cq, toHandlerNs, inHandlerNs, completions);
    }

    @Override
    public void onProcessorFailed(CqHandlerId handler, String sentence) {
        context.events().raise(AsyncEventType.HANDLER_PROCESSOR_FAILED, handler, sentence);
    }
}
