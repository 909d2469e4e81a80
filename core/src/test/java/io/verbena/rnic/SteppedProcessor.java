package io.verbena.rnic;

import io.verbena.notify.HandlerArbiter;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorPolicy;
import java.util.Optional;

/** A processor that runs handlers only when the test calls it, with addresses of its own. */
final class SteppedProcessor implements HandlerProcessor {

    final HandlerArbiter arbiter = new HandlerArbiter("stepped", ProcessorPolicy.defaults(), () -> {}, e -> {});
    long nowNs;

    /** Serves all signalled events; returns their number. */
    int run() {
        return arbiter.run(1_000, () -> nowNs++);
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
    public void close() {
        arbiter.close();
    }
}
