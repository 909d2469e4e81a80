package io.verbena.rnic;

import io.verbena.notify.CompletionSource;
import io.verbena.queue.Cqe;
import io.verbena.rnic.completion.CqSide;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;

/**
 * A completion queue together with the engine's side of it, for benchmarks and race models in which a thread takes the
 * place of the engine. The RNIC does not list the queue, so millions of them can be created and dropped.
 */
public final class CompletionFeed {

    private final SoftCompletionQueue cq;
    private final CqSide side;
    private final Cqe cqe = new Cqe();

    /** A queue whose entries come from the first engine of the RNIC. */
    public CompletionFeed(SoftRnic rnic, CompletionQueueOptions options) {
        cq = new SoftCompletionQueue(rnic.context(), 0, options);
        side = cq.use(0);
    }

    /** The consumer's side. */
    public CompletionSource cq() {
        return cq;
    }

    /**
     * Publishes an entry of successful work. {@link #settle} notifies the consumer.
     *
     * @param causes why the consumer may be notified, bits of {@link io.verbena.queue.CompletionRing}
     * @return false if the ring is full
     */
    public boolean publish(long wrId, CompletionOpcode opcode, int causes) {
        if (!side.ring().claim(cqe)) {
            return false;
        }
        cqe.fill(wrId, CompletionStatus.SUCCESS, opcode, 1, 0);
        side.ring().publish(causes);
        return true;
    }

    /**
     * Notifies the consumer of the entries published since the last call, as an engine does after it has served a queue
     * pair.
     */
    public void settle() {
        side.settle();
    }

    /** Continues in a ring of a different capacity, as after {@link io.verbena.verbs.CompletionQueue#resize}. */
    public void resize(int capacity) {
        side.resize(capacity);
    }

    /** Releases the engine's use of the queue, so that the queue can be closed. */
    public void leave() {
        cq.leave();
    }
}
