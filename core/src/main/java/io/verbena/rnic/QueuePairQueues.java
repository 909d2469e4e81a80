package io.verbena.rnic;

import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.rnic.completion.CqSide;
import io.verbena.verbs.QueuePairOptions;
import java.util.Optional;

/** The queues of a queue pair, and its parts of the CQs. */
final class QueuePairQueues {

    /** Maximum number of receives taken from an SRQ and in progress at a time. */
    private static final int SHARED_UNDER_WAY = 16;

    /** Memory for this many receives at first: unlike sends they wait in the queue, also of a connection that is idle. */
    private static final int FIRST_RECEIVES = 16;

    final WorkQueue send;
    final WorkQueue receive;
    final Optional<SoftSharedReceiveQueue> shared;
    final CqSide sendSide;
    final CqSide receiveSide;
    private final ReceiveQueue receives;
    private final boolean signalAll;

    QueuePairQueues(
            QueuePairOptions options, Optional<SoftSharedReceiveQueue> shared, CqSide sendSide, CqSide receiveSide) {
        this.shared = shared;
        this.sendSide = sendSide;
        this.receiveSide = receiveSide;
        signalAll = options.signalAll();
        send = new WorkQueue(
                options.sendDepth(), Wqe.strideBytes(Math.max(1, options.maxGather()), options.maxInlineBytes()));
        if (shared.isPresent()) {
            WorkQueue source = shared.get().queue();
            receive = new WorkQueue(Math.min(SHARED_UNDER_WAY, source.depth()), source.stride());
            receives = new ReceiveQueue(receive, source);
        } else {
            receive = new WorkQueue(
                    options.receiveDepth(), Wqe.strideBytes(Math.max(1, options.maxScatter()), 0), FIRST_RECEIVES);
            receives = new ReceiveQueue(receive);
        }
    }

    /** The engine's view of the queues. */
    WorkQueues forEngine(int number) {
        return new WorkQueues(number, signalAll, send, receives, sendSide.ring(), receiveSide.ring());
    }
}
