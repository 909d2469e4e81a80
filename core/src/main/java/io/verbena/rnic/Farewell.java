package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Ends the connections of an RNIC that is being closed. */
final class Farewell {

    private static final long CLOSE_NS = 1_000_000_000L;

    /** For peers that repeat a message because its answer was lost. A Verbena does so 33 ms after the message. */
    private static final long LINGER_NS = 100_000_000L;

    private final RnicContext context;
    private final List<SoftQueuePair> all;
    private final Collection<SoftCompletionQueue> completionQueues;
    private final Transport transport;

    Farewell(
            RnicContext context,
            List<SoftQueuePair> all,
            Collection<SoftCompletionQueue> completionQueues,
            Transport transport) {
        this.context = context;
        this.all = all;
        this.completionQueues = completionQueues;
        this.transport = transport;
    }

    /**
     * Waits for posted work and for its handlers, ends the connections, and waits for the handlers of the flushed work.
     */
    void gracefully(long deadlineNs) {
        context.await(() -> allSent() && handlersIdle() || closedElsewhere(), leftNs(deadlineNs));
        endQueuePairs();
        context.await(() -> handlersIdle() || closedElsewhere(), leftNs(deadlineNs));
    }

    /** Whether another thread has closed the RNIC meanwhile. */
    private boolean closedElsewhere() {
        return context.waits().ended();
    }

    private long leftNs(long deadlineNs) {
        return Times.leftNs(deadlineNs, context.environment().nowNs());
    }

    /** Ends the queue pairs, and then the contexts of reliable datagrams. Peers are notified, also of queue pairs that were closed before. */
    void endConnections(Collection<SoftDatagramDomain> domains) {
        endQueuePairs();
        domains.forEach(SoftDatagramDomain::disconnectAll);
        context.await(() -> domains.stream().allMatch(SoftDatagramDomain::allEnded), CLOSE_NS);
        context.await(transport::peersNotified, CLOSE_NS);
        context.await(transport::answersArrived, LINGER_NS);
    }

    /** Closes the connections gracefully, and by force when the time for a graceful close has passed. */
    private void endQueuePairs() {
        for (SoftQueuePair each : all) {
            each.endpoint().connection().ifPresent(SoftConnection::disconnect);
        }
        context.await(this::allEnded, CLOSE_NS);
        for (SoftQueuePair each : all) {
            each.endpoint().command(() -> each.endpoint().failWhole("The RNIC was closed."));
        }
        context.await(() -> allEnded() && allFailed(), CLOSE_NS);
    }

    private boolean allEnded() {
        for (SoftQueuePair each : all) {
            Optional<SoftConnection> connection = each.endpoint().connection();
            if (connection.isPresent() && !connection.get().state().ended()) {
                return false;
            }
        }
        return true;
    }

    private boolean allFailed() {
        for (SoftQueuePair each : all) {
            if (!each.state().failed()) {
                return false;
            }
        }
        return true;
    }

    private boolean allSent() {
        for (SoftQueuePair each : all) {
            if (!each.state().failed() && each.query().sendOutstanding() > 0) {
                return false;
            }
        }
        return true;
    }

    private boolean handlersIdle() {
        for (SoftCompletionQueue cq : completionQueues) {
            if (!cq.dispatch().idle()) {
                return false;
            }
        }
        return true;
    }
}
