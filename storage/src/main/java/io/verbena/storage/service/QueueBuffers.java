package io.verbena.storage.service;

import io.verbena.storage.target.QueueMemory;
import io.verbena.storage.target.TargetLimits;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;

/**
 * The registered memory of one queue.
 *
 * @param capsules receives
 * @param data buffers of commands
 * @param shape how both are divided
 */
record QueueBuffers(MemoryRegion capsules, MemoryRegion data, QueueMemory shape) {
    static QueueBuffers allocate(ProtectionDomain domain, int queueId, int slots, TargetLimits limits) {
        int capsuleBytes = limits.capsuleBytes(queueId);
        int buffers = limits.buffers(queueId, slots);
        int bufferBytes = limits.bufferBytes(queueId);
        MemoryRegion capsules = domain.allocate((long) slots * capsuleBytes, AccessRight.LOCAL_WRITE);
        MemoryRegion data = domain.allocate((long) buffers * bufferBytes, AccessRight.LOCAL_WRITE);
        QueueMemory shape = new QueueMemory(capsules.segment(), capsuleBytes, data.segment(), bufferBytes);
        return new QueueBuffers(capsules, data, shape);
    }

    void close() {
        capsules.close();
        data.close();
    }
}
