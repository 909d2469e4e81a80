package io.verbena.notify;

import io.verbena.base.Log;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import java.util.concurrent.atomic.AtomicBoolean;

/** The address of a handler on a processor that gives none itself: signals before the service begins are one. */
final class PlainAddress implements EventAddress, Runnable {

    private final CqHandlerId datum;
    private final HandlerProcessor processor;
    private final EventSource source;
    private final AtomicBoolean signalled = new AtomicBoolean();

    PlainAddress(CqHandlerId datum, HandlerProcessor processor, EventSource source) {
        this.datum = datum;
        this.processor = processor;
        this.source = source;
    }

    @Override
    public void signal() {
        if (signalled.compareAndSet(false, true)) {
            try {
                processor.signal(datum, this);
            } catch (Throwable e) {
                signalled.set(false);
                Log.callback("A handler processor", e);
                throw e;
            }
        }
    }

    @Override
    public void run() {
        // Cleared before the check for events: an event after the check signals again.
        signalled.set(false);
        if (source.serve()) {
            try {
                signal();
            } catch (Throwable e) {
                source.abandon();
            }
        }
    }

    @Override
    public void options(HandlerOptions options) {}

    @Override
    public void detach() {}
}
