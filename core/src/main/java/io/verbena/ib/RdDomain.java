package io.verbena.ib;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reliable datagram domain: queue pairs and the end-to-end contexts that may carry their messages. With M queue pairs a node
 * and N nodes it takes M queue pairs and N - 1 contexts a node.
 */
public final class RdDomain {

    private final List<RdQueuePair> queuePairs = new ArrayList<>();

    /** Adds a queue pair. */
    public void add(RdQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    /** Removes a queue pair. */
    public void remove(RdQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    /** The queue pair with a number. */
    Optional<RdQueuePair> find(int number) {
        for (int i = 0; i < queuePairs.size(); i++) {
            if (queuePairs.get(i).number() == number) {
                return queuePairs.get(i).itself();
            }
        }
        return Optional.empty();
    }

    /** No queue pair. */
    static final int NONE = -1;

    /** The first queue pair after {@code last}, all around, that has work for a context; or {@link #NONE}. */
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
