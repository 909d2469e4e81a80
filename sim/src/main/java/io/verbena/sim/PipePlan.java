package io.verbena.sim;

/**
 * How one direction of a virtual stream behaves. Offsets count the bytes written to it, so that what goes wrong depends on
 * what is sent.
 *
 * @param capacityBytes bytes it holds that were written and not read: a writer finds no room beyond
 * @param maxWriteBytes one write takes at most this many; 0 for any number
 * @param maxReadBytes one read gets at most this many; 0 for any number
 * @param idleOneIn one of so many reads and writes moves nothing although it could; 0 for never
 * @param minDelayNs shortest time from being written to being there to read
 * @param maxDelayNs longest such time; short ones are more frequent
 * @param stallAtByte here everything is held up once; {@link #NEVER} for nowhere
 * @param stallNs how long
 * @param flipAtByte of this byte one bit is flipped
 * @param garbageAtByte here and again and again behind it, bytes are changed, lost, repeated or made up
 * @param cutAtByte behind so many bytes the connection breaks, both directions
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
