package io.verbena.rnic;

import io.verbena.base.Times;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** How the connections of an RNIC that closes come to their end. */
final class Farewell {

    private static final long CLOSE_NS = 1_000_000_000L;

    private final RnicContext context;
    private final List<SoftQueuePair> all;
    private final Collection<SoftCompletionQueue> completionQueues;

    Farewell(RnicContext context, List<SoftQueuePair> all, Collection<SoftCompletionQueue> completionQueues) {
        this.context = context;
        this.all = all;
        this.completionQueues = completionQueues;
    }

    /** Lets work finish and handlers take what completed, then ends the connections and lets handlers see what was flushed. */
    void inGoodOrder(long deadlineNs) {
        context.await(() -> allSent() && handlersIdle(), leftNs(deadlineNs));
        endConnections();
        context.await(this::handlersIdle, leftNs(deadlineNs));
    }

    private long leftNs(long deadlineNs) {
        return Times.leftNs(deadlineNs, context.environment().nowNs());
    }

    /** Ends them one way or the other: gracefully while the time for that goes on, then by force. */
    void endConnections() {
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
