package io.verbena.sim;

/**
 * The behaviour of one direction of a virtual stream. Offsets count the bytes written to it, so that faults depend on
 * the data.
 *
 * @param capacityBytes maximum number of bytes written and not read; a writer cannot write more
 * @param maxWriteBytes maximum size of one write; 0 for no limit
 * @param maxReadBytes maximum size of one read; 0 for no limit
 * @param idleOneIn one of this many reads and writes transfers nothing although it could; 0 disables this
 * @param minDelayNs minimum time from the write until the bytes can be read
 * @param maxDelayNs maximum time from the write until the bytes can be read; short ones are more frequent
 * @param stallAtByte the direction stalls once at this byte; {@link #NEVER} disables this
 * @param stallNs duration of the stall
 * @param flipAtByte one bit of this byte is flipped
 * @param garbageAtByte from this byte on, bytes are repeatedly changed, lost, duplicated or inserted
 * @param cutAtByte the connection breaks after this many bytes, in both directions
 */
record PipePlan(
        int capacityBytes,
        int maxWriteBytes,
        int maxReadBytes,
        int idleOneIn,
        long minDelayNs,
        long maxDelayNs,
        long stallAtByte,
        long stallNs,
        long flipAtByte,
        long garbageAtByte,
        long cutAtByte) {

    static final long NEVER = Long.MAX_VALUE;

    /** A good one. */
    static PipePlan calm() {
        return new PipePlan(400_000, 0, 0, 0, 1_000, 20_000, NEVER, 0, NEVER, NEVER, NEVER);
    }

    PipePlan withCapacity(int bytes) {
        return new PipePlan(
                bytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                minDelayNs,
                maxDelayNs,
                stallAtByte,
                stallNs,
                flipAtByte,
                garbageAtByte,
                cutAtByte);
    }

    PipePlan withPieces(int mostWritten, int mostRead, int idle) {
        return new PipePlan(
                capacityBytes,
                mostWritten,
                mostRead,
                idle,
                minDelayNs,
                maxDelayNs,
                stallAtByte,
                stallNs,
                flipAtByte,
                garbageAtByte,
                cutAtByte);
    }

    PipePlan withDelays(long leastNs, long mostNs) {
        return new PipePlan(
                capacityBytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                leastNs,
                mostNs,
                stallAtByte,
                stallNs,
                flipAtByte,
                garbageAtByte,
                cutAtByte);
    }

    PipePlan withStall(long atByte, long durationNs) {
        return new PipePlan(
                capacityBytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                minDelayNs,
                maxDelayNs,
                atByte,
                durationNs,
                flipAtByte,
                garbageAtByte,
                cutAtByte);
    }

    PipePlan withFlip(long atByte) {
        return new PipePlan(
                capacityBytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                minDelayNs,
                maxDelayNs,
                stallAtByte,
                stallNs,
                atByte,
                garbageAtByte,
                cutAtByte);
    }

    PipePlan withGarbage(long atByte) {
        return new PipePlan(
                capacityBytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                minDelayNs,
                maxDelayNs,
                stallAtByte,
                stallNs,
                flipAtByte,
                atByte,
                cutAtByte);
    }

    PipePlan withCut(long atByte) {
        return new PipePlan(
                capacityBytes,
                maxWriteBytes,
                maxReadBytes,
                idleOneIn,
                minDelayNs,
                maxDelayNs,
                stallAtByte,
                stallNs,
                flipAtByte,
                garbageAtByte,
                atByte);
    }
}
