package io.verbena.ib.rd;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reliable datagram domain: queue pairs and the end-to-end contexts that carry their messages. With M queue pairs per
 * node and N nodes, each node needs M queue pairs and N - 1 contexts.
 */
public final class RdDomain {

    private final List<RdQueuePair> queuePairs = new ArrayList<>();
    private final List<RdContext> contexts = new ArrayList<>();

    /** Adds a queue pair. */
    public void add(RdQueuePair queuePair) {
        queuePairs.add(queuePair);
        queuePair.joined(this);
    }

    /** Removes a queue pair. Contexts abandon its messages in progress. */
    void remove(RdQueuePair queuePair) {
        queuePairs.remove(queuePair);
        for (int i = 0; i < contexts.size(); i++) {
            contexts.get(i).forget(queuePair);
        }
    }

    /** Adds a context. */
    void add(RdContext context) {
        contexts.add(context);
    }

    /** Removes a context that has ended. Work that names it is refused. */
    public void remove(RdContext context) {
        contexts.remove(context);
        for (RdQueuePair each : List.copyOf(queuePairs)) {
            each.contextEnded();
        }
    }

    /** The queue pair with this number. */
    Optional<RdQueuePair> find(int number) {
        for (int i = 0; i < queuePairs.size(); i++) {
            if (queuePairs.get(i).number() == number) {
                return queuePairs.get(i).itself();
            }
        }
        return Optional.empty();
    }

    /** The index that means "no queue pair". */
    static final int NONE = -1;

    /**
     * Index of the first queue pair after {@code last}, in circular order, that has work for a context; or {@link
     * #NONE}.
     */
    int next(int last, int context, long nowNs) {
        int count = queuePairs.size();
        for (int i = 1; i <= count; i++) {
            int at = (Math.max(last, NONE) + i) % count;
            if (queuePairs.get(at).hasWorkFor(context, nowNs)) {
                return at;
            }
        }
        return NONE;
    }

    RdQueuePair at(int index) {
        return queuePairs.get(index);
    }

    int size() {
        return queuePairs.size();
    }
}
