package io.verbena.ib.endpoint;

import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueues;
import io.verbena.work.LocalBuffers;
import io.verbena.work.QueuePairContext;
import io.verbena.work.RemoteAccess;

/**
 * What an engine works on for one queue pair. Work on keys is not part of it: each component that changes keys has its
 * own {@link io.verbena.work.KeyWork}, because an operation may stay incomplete over several turns.
 *
 * @param context queues and memory of the queue pair
 * @param buffers gathers and scatters local payload
 * @param access checks the peer's accesses
 */
public record QueuePairWork(QueuePairContext context, LocalBuffers buffers, RemoteAccess access) {

    /** The work of a queue pair. */
    public static QueuePairWork of(QueuePairContext context) {
        return new QueuePairWork(context, new LocalBuffers(context), new RemoteAccess(context));
    }

    public WorkQueues queues() {
        return context.queues();
    }

    public RegionTable regions() {
        return context.regions();
    }
}
