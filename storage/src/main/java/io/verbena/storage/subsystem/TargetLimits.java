package io.verbena.storage.subsystem;

import io.verbena.storage.wire.SubmissionEntry;

/**
 * What hosts can make a target hold.
 *
 * @param controllers most controllers
 * @param ioQueues most I/O queues of a controller
 * @param queueEntries most entries of an I/O queue
 * @param inCapsuleBytes most data in a capsule of an I/O queue, a multiple of 16
 * @param transferShift a command transfers at most 2^n pages of 4 KiB, n from 1 to 8
 * @param memoryBytes most registered memory of all queues together
 */
public record TargetLimits(
        int controllers, int ioQueues, int queueEntries, int inCapsuleBytes, int transferShift, long memoryBytes) {
    /** Commands of an I/O queue that are executed at once; others wait in their receives. */
    private static final int IO_BUFFERS = 32;

    /** Entries of an admin queue. */
    static final int ADMIN_ENTRIES = 32;

    /** Of an admin queue: those of waiting event requests, and as many for other commands. */
    private static final int ADMIN_BUFFERS = 2 * Controller.EVENT_REQUESTS;

    /** Memory that is bounded only by the numbers of controllers and queues. */
    public TargetLimits(int controllers, int ioQueues, int queueEntries, int inCapsuleBytes, int transferShift) {
        this(controllers, ioQueues, queueEntries, inCapsuleBytes, transferShift, Long.MAX_VALUE);
    }

    /** 64 controllers with 8 queues of 128 entries, 8 KiB in a capsule, 128 KiB in a command, 1 GiB in all. */
    public static TargetLimits defaults() {
        return new TargetLimits(64, 8, 128, 8192, 5, 1L << 30);
    }

    /** The same with another limit of memory. */
    public TargetLimits withMemoryBytes(long bytes) {
        return new TargetLimits(controllers, ioQueues, queueEntries, inCapsuleBytes, transferShift, bytes);
    }

    /** The same with another size of a transfer, which is the size of a buffer too. */
    public TargetLimits withTransferShift(int shift) {
        return new TargetLimits(controllers, ioQueues, queueEntries, inCapsuleBytes, shift, memoryBytes);
    }

    /** Checks that the limits are possible. */
    public TargetLimits {
        if (controllers < 1 || controllers > 65_519 || ioQueues < 1 || queueEntries < 2 || queueEntries > 1024) {
            throw new IllegalArgumentException("Give 1 to 65519 controllers, at least 1 queue, 2 to 1024 entries.");
        }
        // MDTS 0 means no limit. An IOCCSZ of 4 units is a bare command; Linux takes less than that as no limit.
        if (inCapsuleBytes < 0 || inCapsuleBytes % 16 != 0 || transferShift < 1 || transferShift > 8) {
            throw new IllegalArgumentException(
                    "In-capsule data are a multiple of 16 bytes, a transfer has 8 KiB to 1 MiB.");
        }
    }

    /** Bytes of a receive. */
    public int capsuleBytes(int queueId) {
        return SubmissionEntry.LENGTH + (queueId == 0 ? 0 : inCapsuleBytes);
    }

    /** How many commands of a queue are executed at once. */
    public int buffers(int queueId, int slots) {
        return Math.min(slots, queueId == 0 ? ADMIN_BUFFERS : IO_BUFFERS);
    }

    /** Bytes of the buffer of a command: what MDTS announces is true for log pages too. */
    public int bufferBytes(int queueId) {
        return transferBytes();
    }

    /** Registered memory of a queue. */
    public long queueBytes(int queueId, int slots) {
        return (long) slots * capsuleBytes(queueId) + (long) buffers(queueId, slots) * bufferBytes(queueId);
    }

    /** Registered memory of a host with its admin queue and all I/O queues. */
    public long hostBytes() {
        return queueBytes(0, ADMIN_ENTRIES) + ioQueues * queueBytes(1, queueEntries);
    }

    /** Most bytes of a transfer. */
    public int transferBytes() {
        return 4096 << transferShift;
    }
}
