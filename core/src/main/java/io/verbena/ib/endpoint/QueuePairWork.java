package io.verbena.ib.endpoint;

import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueues;
import io.verbena.work.LocalBuffers;
import io.verbena.work.OutlivingWork;
import io.verbena.work.QueuePairContext;
import io.verbena.work.RemoteAccess;
import java.util.Optional;

/**
 * What an engine works on for one queue pair. Work on keys is not part of it: each component that changes keys has its
 * own {@link io.verbena.work.KeyWork}, because an operation may stay incomplete over several turns.
 *
 * @param context queues and memory of the queue pair
 * @param buffers gathers and scatters local payload
 * @param access checks the peer's accesses
 * @param outliving of a connection that survives its transport
 */
public record QueuePairWork(
        QueuePairContext context, LocalBuffers buffers, RemoteAccess access, Optional<OutlivingWork> outliving) {

    /** The work of a queue pair. */
    public static QueuePairWork of(QueuePairContext context) {
        return of(context, Optional.empty());
    }

    /** The same, of a connection that survives its transport if something outlives that. */
    public static QueuePairWork of(QueuePairContext context, Optional<OutlivingWork> outliving) {
        return new QueuePairWork(context, new LocalBuffers(context), new RemoteAccess(context), outliving);
    }

    public WorkQueues queues() {
        return context.queues();
    }

    public RegionTable regions() {
        return context.regions();
    }
}
