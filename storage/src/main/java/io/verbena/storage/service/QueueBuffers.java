package io.verbena.storage.service;

import io.verbena.storage.target.QueueMemory;
import io.verbena.storage.target.TargetLimits;
import io.verbena.storage.wire.SubmissionEntry;
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
    /** Commands of an I/O queue that are executed at once; others wait in their receives. */
    private static final int IO_BUFFERS = 32;

    /** An admin command transfers at most a log page of 16 KiB. */
    private static final int ADMIN_BUFFER_BYTES = 16_384;

    static QueueBuffers allocate(ProtectionDomain domain, int queueId, int slots, TargetLimits limits) {
        int capsuleBytes = SubmissionEntry.LENGTH + (queueId == 0 ? 0 : limits.inCapsuleBytes());
        // Waiting event requests keep their buffers: the admin queue has one for each command.
        int buffers = queueId == 0 ? slots : Math.min(slots, IO_BUFFERS);
        int bufferBytes = queueId == 0 ? ADMIN_BUFFER_BYTES : Math.max(4096, limits.transferBytes());
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
