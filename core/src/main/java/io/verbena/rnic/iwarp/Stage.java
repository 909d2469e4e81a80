package io.verbena.rnic.iwarp;

import io.verbena.engine.RnicEngine;

/**
 * A stage of a connection's life, as its engine serves it: {@link DialStage} while TCP connects, {@link StartUpStage} while start-up
 * frames are exchanged, {@link RdmaStage} in RDMA mode. Every stage ends by itself: what it waits for has a deadline.
 */
abstract class Stage {

    private final IwarpQueuePair queuePair;

    Stage(IwarpQueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** The queue pair whose connection it is. */
    final IwarpQueuePair queuePair() {
        return queuePair;
    }

    final RnicEngine engine() {
        return queuePair.engine();
    }

    /** Has the engine serve it in its next turn. */
    final void ready() {
        engine().ready(queuePair);
    }

    /** Has the engine call {@link #onDeadline} at this instant, instead of one set before. */
    final void deadline(long deadlineNs) {
        engine().deadline(queuePair, deadlineNs);
    }

    /** Does what can be done now, within the byte budgets of a turn. */
    abstract void service(long nowNs);

    /** The deadline has passed; {@link #service} follows. */
    abstract void onDeadline(long nowNs);

    /** Ends the connection at once, for a reason of the application. */
    abstract void abort(String sentence, long nowNs);

    /** Closes the connection gracefully; one that is not established is given up. */
    abstract void disconnect(long nowNs);

    /** Serving it failed by a bug: it releases what it holds without another try. */
    abstract void onBug(String sentence, long nowNs);

    /** A hash of everything that decides how it goes on. */
    abstract long stateDigest();
}
