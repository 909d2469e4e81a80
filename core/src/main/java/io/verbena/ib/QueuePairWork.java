package io.verbena.ib;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueues;
import io.verbena.work.KeyWork;
import io.verbena.work.LocalBuffers;
import io.verbena.work.QueuePairContext;

/**
 * What an engine works on for one queue pair: its queues, and the memory that it may touch.
 *
 * @param queues work and where it completes
 * @param regions memory of the RNIC
 * @param check the engine's own access check
 * @param buffers gathers and scatters
 * @param keys binds and invalidates
 * @param domain number of the protection domain
 */
public record QueuePairWork(
        WorkQueues queues, RegionTable regions, AccessCheck check, LocalBuffers buffers, KeyWork keys, int domain) {

    /**
     * For a queue pair.
     *
     * @param engine number of the engine
     */
    public static QueuePairWork of(WorkQueues queues, RegionTable regions, AccessCheck check, int domain, int engine) {
        QueuePairContext context = new QueuePairContext(queues, regions, domain, engine);
        return new QueuePairWork(queues, regions, check, new LocalBuffers(context), new KeyWork(context), domain);
    }
}
