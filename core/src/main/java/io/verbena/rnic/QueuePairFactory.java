package io.verbena.rnic;

import io.verbena.engine.RnicEngine;
import io.verbena.objects.QueuePairRules;
import io.verbena.rnic.completion.CqSide;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.rnic.context.AdapterLimits;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.QueuePairNumbers;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SharedReceiveQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Create QP: checks the options, chooses an engine, and lets the transport create the endpoint. */
final class QueuePairFactory {

    private final RnicContext context;
    private final Transport transport;

    QueuePairFactory(RnicContext context, Transport transport) {
        this.context = context;
        this.transport = transport;
    }

    Optional<Datagrams> datagrams() {
        return transport.datagrams();
    }

    /** Creates a queue pair of a protection domain. */
    SoftQueuePair create(DomainObjects domain, QueuePairOptions requested) {
        check(requested);
        AdapterLimits adapter = transport.limits().adapter();
        Limits.available("queue pairs", context.queuePairs().size(), adapter.queuePairs());
        QueuePairOptions options = adapter.incomingRdma()
                ? requested
                : requested.toBuilder().reads(0, requested.outboundReads()).build();
        SoftCompletionQueue sendCq = own(options.sendCq());
        SoftCompletionQueue receiveCq = own(options.receiveCq());
        Optional<SoftSharedReceiveQueue> shared = options.sharedReceiveQueue().map(srq -> own(srq, domain));
        Optional<SoftDatagramDomain> datagrams = options.datagramDomain().map(it -> SoftDatagramDomain.of(it, context));
        RnicEngine engine = shared.map(SoftSharedReceiveQueue::engine)
                .or(() -> datagrams.map(SoftDatagramDomain::engine))
                .orElseGet(() -> context.engines().near(receiveCq::home, sendCq::home));
        sendCq.checkOpen();
        receiveCq.checkOpen();
        List<Runnable> undo = new ArrayList<>();
        try {
            shared.ifPresent(SoftSharedReceiveQueue::use);
            shared.ifPresent(it -> undo.add(it::leave));
            datagrams.ifPresent(SoftDatagramDomain::use);
            datagrams.ifPresent(it -> undo.add(it::leave));
            CqSide sends = sendCq.use(engine.index());
            undo.add(sendCq::leave);
            CqSide receives = receiveCq.use(engine.index());
            undo.add(receiveCq::leave);
            return newQueuePair(domain, engine, options, new QueuePairQueues(options, shared, sends, receives));
        } catch (RuntimeException | Error e) {
            undo.forEach(Runnable::run);
            throw e;
        }
    }

    private SoftQueuePair newQueuePair(
            DomainObjects domain, RnicEngine engine, QueuePairOptions options, QueuePairQueues queues) {
        QueuePairNumbers numbers = context.queuePairs();
        synchronized (numbers) {
            int number = numbers.unused(context.environment().random());
            SoftQueuePair softQueuePair = new SoftQueuePair(domain, engine, number, options, queues);
            softQueuePair.endpoint(transport.newEndpoint(softQueuePair));
            numbers.add(softQueuePair);
            return softQueuePair;
        }
    }

    private void check(QueuePairOptions options) {
        TransportLimits limits = transport.limits();
        QueuePairRules.check(options, Limits.attributes(limits, 0, 0), "transport " + limits.provider());
        QueuePairRules.reads(
                options, limits.connection().reads(), limits.connection().reads());
        transport.checkOptions(options);
    }

    private SoftCompletionQueue own(CompletionQueue cq) {
        if (cq instanceof SoftCompletionQueue soft && soft.context() == context) {
            return soft;
        }
        throw new IllegalArgumentException("the completion queue was not created by this RNIC");
    }

    private static SoftSharedReceiveQueue own(SharedReceiveQueue srq, DomainObjects domain) {
        if (srq instanceof SoftSharedReceiveQueue soft && soft.domain() == domain) {
            return soft;
        }
        throw new IllegalArgumentException("the shared receive queue was not created in this protection domain");
    }
}
