package io.verbena.host.engine;

import io.verbena.host.system.Threads;
import io.verbena.notify.HandlerArbiter;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorPolicy;
import java.util.Optional;

/**
 * The default handler processor of an INLINE RNIC: handlers run in the owner's thread after a turn, because only that
 * thread may poll and post.
 */
public final class InlineHandlers implements HandlerProcessor {

    private final HandlerArbiter arbiter =
            new HandlerArbiter("inline", ProcessorPolicy.defaults(), () -> {}, Threads::uncaught);

    @Override
    public void signal(CqHandlerId handler, Runnable work) {
        arbiter.notice(work);
    }

    @Override
    public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
        return Optional.of(arbiter.attach(handler, options, source));
    }

    /** Runs the handlers that are pending now; a handler that is signalled again runs in the next round. */
    int runAll() {
        if (arbiter.idle()) {
            return 0; // the usual case: avoids reading the clock
        }
        int waiting = arbiter.waiting(System.nanoTime());
        return waiting == 0 ? 0 : arbiter.run(waiting, System::nanoTime);
    }

    @Override
    public void close() {
        arbiter.close();
    }

    @Override
    public String toString() {
        return "thread of the owner";
    }
}
