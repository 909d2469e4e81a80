package io.verbena.work;

import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueues;

/**
 * What the engine of one queue pair works on: its queues, and the memory that it may access.
 *
 * @param queues the work queues and the rings on which work completes
 * @param regions the memory of the RNIC
 * @param domain number of the queue pair's protection domain
 * @param engine number of the engine that owns the queue pair
 * @param earlyMemory memory of the RNIC for what arrives after holes in received streams
 */
public record QueuePairContext(
        WorkQueues queues, RegionTable regions, int domain, int engine, EarlyMemory earlyMemory) {

    /** With memory of its own for what arrives after holes. */
    public QueuePairContext(WorkQueues queues, RegionTable regions, int domain, int engine) {
        this(queues, regions, domain, engine, new EarlyMemory(Long.MAX_VALUE));
    }

    /** Number of the queue pair. */
    public int number() {
        return queues.queuePairNumber();
    }
}
