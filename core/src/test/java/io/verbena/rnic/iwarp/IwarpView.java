package io.verbena.rnic.iwarp;

import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.Listener;

/** What tests outside of this package look at. */
public final class IwarpView {

    /** Most peers in set-up at a listener. */
    public static final int MOST_HALF_OPEN = IwarpListener.MOST_HALF_OPEN;

    private IwarpView() {}

    /** The phase of a queue pair's connection. */
    public static ConnectionPhase phase(SoftQueuePair queuePair) {
        return IwarpQueuePair.of(queuePair).phase();
    }

    /** Whether a queue pair's connection has been in RDMA mode. */
    public static boolean wasEstablished(SoftQueuePair queuePair) {
        return IwarpQueuePair.of(queuePair).wasEstablished();
    }

    /** Peers in set-up at a listener. */
    public static int halfOpenCount(Listener listener) {
        return ((IwarpListener) listener).halfOpenCount();
    }

    /** Peers that a listener has dropped in set-up. */
    public static long droppedCount(Listener listener) {
        return ((IwarpListener) listener).droppedCount();
    }
}
