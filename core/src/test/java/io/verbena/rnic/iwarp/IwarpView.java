package io.verbena.rnic.iwarp;

import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.Listener;

/** Internal state for tests outside of this package. */
public final class IwarpView {

    /** Maximum number of peers in set-up at a listener. */
    public static final int MAX_HALF_OPEN = IwarpListener.MAX_HALF_OPEN;

    private IwarpView() {}

    /** The phase of the connection of a queue pair. */
    public static ConnectionPhase phase(SoftQueuePair queuePair) {
        return IwarpQueuePair.of(queuePair).phase();
    }

    /** Whether the connection of a queue pair has been in RDMA mode. */
    public static boolean wasEstablished(SoftQueuePair queuePair) {
        return IwarpQueuePair.of(queuePair).wasEstablished();
    }

    /** Number of peers in set-up at a listener. */
    public static int halfOpenCount(Listener listener) {
        return ((IwarpListener) listener).halfOpenCount();
    }

    /** Number of peers that a listener has dropped during set-up. */
    public static long droppedCount(Listener listener) {
        return ((IwarpListener) listener).dropped();
    }
}
