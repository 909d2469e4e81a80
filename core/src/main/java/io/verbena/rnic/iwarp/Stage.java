package io.verbena.rnic.iwarp;

import io.verbena.engine.RnicEngine;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.Figures;
import io.verbena.verbs.QueuePair;
import java.io.IOException;
import java.util.Set;

/**
 * A stage in the life of a connection, as served by its engine: {@link DialStage} while TCP connects, {@link
 * StartUpStage} while start-up frames are exchanged, {@link RdmaStage} in RDMA mode. Every wait of a stage has a
 * deadline.
 */
abstract class Stage {

    private final IwarpQueuePair queuePair;

    Stage(IwarpQueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** The queue pair of the connection. */
    final IwarpQueuePair queuePair() {
        return queuePair;
    }

    final RnicEngine engine() {
        return queuePair.engine();
    }

    /** Schedules the stage for the engine's next turn. */
    final void ready() {
        engine().ready(queuePair);
    }

    /** Sets the time at which the engine calls {@link #onDeadline}, replacing an earlier setting. */
    final void deadline(long deadlineNs) {
        engine().deadline(queuePair, deadlineNs);
    }

    /** Does the work that is possible now, within the byte budgets of a turn. */
    abstract void service(long nowNs);

    /** Called after the deadline has passed; {@link #service} follows. */
    abstract void onDeadline(long nowNs);

    /**
     * Ends the connection at once, on request of the application.
     *
     * @return whether work may be flushed now. If not, the peer accesses memory of this side directly; the stage flushes the
     *     work when it does not any more
     */
    abstract boolean abort(String sentence, long nowNs);

    /** Closes the connection gracefully; a connection that is not established is given up. */
    abstract void disconnect(long nowNs);

    /**
     * Ends this stage of a connection that survives: after that nothing is read or written, and nothing of the peer
     * is executed.
     * Work is not flushed.
     */
    abstract void fence(String sentence);

    /** Releases all resources after a bug, without sending anything. */
    abstract void onBug(String sentence, long nowNs);

    /**
     * Whether the peer accesses no memory of this side directly any more since it lost rights, or since the stream was closed. The
     * wait is bounded.
     */
    boolean peerLeft() {
        return true;
    }

    /**
     * The peer has these rights from now on, and those of the regions limit them.
     *
     * @return whether it does not use others any more; otherwise {@link IwarpQueuePair#reportLimited} follows
     */
    boolean limitPeer(Set<AccessRight> rights) {
        return true;
    }

    /** Reads a channel once into memory of the peer, without its engine. */
    int writeNow(ByteSource source, int most, long address, int key) throws IOException {
        return QueuePair.IMPOSSIBLE;
    }

    /** Executes and completes a request that is not in the send queue. Returns false if nothing has happened. */
    boolean execute(Wqe posted) {
        return false;
    }

    /** Sets how the system ends the stream if this process is killed, from RDMA mode until the connection ends. */
    void resetIfKilled(boolean reset) {}

    /** Adds what is known about the path to the peer. Any thread. */
    void describePath(Figures.Builder figures) {}

    /** A hash of all state that determines further behaviour. */
    abstract long stateDigest();
}
