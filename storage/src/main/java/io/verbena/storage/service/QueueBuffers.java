package io.verbena.storage.service;

import io.verbena.storage.subsystem.QueueMemory;
import io.verbena.storage.subsystem.TargetLimits;
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
    private static final int CONNECT_BUFFER_BYTES = 4096;

    static QueueBuffers allocate(ProtectionDomain domain, int queueId, int slots, TargetLimits limits) {
        int buffers = limits.buffers(queueId, slots);
        return divided(domain, limits.capsuleBytes(queueId), slots, limits.bufferBytes(queueId), buffers);
    }

    /** For Connect alone: one capsule, and data that the host does not send in the capsule. */
    static QueueBuffers first(ProtectionDomain domain, int queueId, TargetLimits limits) {
        return divided(domain, limits.capsuleBytes(queueId), 1, CONNECT_BUFFER_BYTES, 1);
    }

    private static QueueBuffers divided(
            ProtectionDomain domain, int capsuleBytes, int slots, int bufferBytes, int buffers) {
        MemoryRegion capsules = domain.allocate((long) slots * capsuleBytes, AccessRight.LOCAL_WRITE);
        MemoryRegion data;
        try {
            data = domain.allocate((long) buffers * bufferBytes, AccessRight.LOCAL_WRITE);
        } catch (RuntimeException | Error e) {
            capsules.close(); // a host that is refused leaves no memory
            throw e;
        }
        QueueMemory shape = new QueueMemory(capsules.segment(), capsuleBytes, data.segment(), bufferBytes);
        return new QueueBuffers(capsules, data, shape);
    }

    void close() {
        capsules.close();
        data.close();
    }
}
