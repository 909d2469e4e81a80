package io.verbena.rnic.ib;

import io.verbena.engine.RnicEngine;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.rd.RdDomain;
import io.verbena.ib.rd.RdEngine;
import io.verbena.ib.rd.RdQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftDatagramDomain;

/** A reliable datagram domain as its queue pairs see it. */
abstract class ReliableDatagrams extends SoftDatagramDomain {

    /** Used by the engine only. */
    private final RdDomain protocol = new RdDomain();

    ReliableDatagrams(RnicContext context, RnicEngine engine) {
        super(context, engine);
    }

    final RdDomain protocol() {
        return protocol;
    }

    /** Has a context served. Returns false if the domain has no context with this number. */
    abstract boolean wake(int number);

    /**
     * The protocol of a queue pair of this domain, on the engine.
     *
     * @param onChange has the queue pair served when a context has changed it
     */
    final QueuePairEngine start(int number, int qKey, QueuePairWork work, Runnable onChange) {
        RdQueuePair rdQueuePair = new RdQueuePair(number, qKey, work);
        rdQueuePair.onChange(onChange);
        return new RdEngine(rdQueuePair, protocol, this::wake);
    }
}
