package io.verbena.storage.target;

/**
 * What hosts can make a target hold.
 *
 * @param controllers most controllers
 * @param ioQueues most I/O queues of a controller
 * @param queueEntries most entries of an I/O queue
 * @param inCapsuleBytes most data in a capsule of an I/O queue, a multiple of 16
 * @param transferShift a command transfers at most 2^n pages of 4 KiB, n from 1 to 8
 */
public record TargetLimits(int controllers, int ioQueues, int queueEntries, int inCapsuleBytes, int transferShift) {
    /** 64 controllers with 8 queues of 128 entries, 8 KiB in a capsule, 128 KiB in a command. */
    public static TargetLimits defaults() {
        return new TargetLimits(64, 8, 128, 8192, 5);
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

    /** Most bytes of a transfer. */
    public int transferBytes() {
        return 4096 << transferShift;
    }
}
