package io.verbena.sim;

import java.util.function.Consumer;

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
        return with(plan -> plan.capacityBytes = bytes);
    }

    PipePlan withPieces(int mostWritten, int mostRead, int idle) {
        return with(plan -> {
            plan.maxWriteBytes = mostWritten;
            plan.maxReadBytes = mostRead;
            plan.idleOneIn = idle;
        });
    }

    PipePlan withDelays(long leastNs, long mostNs) {
        return with(plan -> {
            plan.minDelayNs = leastNs;
            plan.maxDelayNs = mostNs;
        });
    }

    PipePlan withStall(long atByte, long durationNs) {
        return with(plan -> {
            plan.stallAtByte = atByte;
            plan.stallNs = durationNs;
        });
    }

    PipePlan withFlip(long atByte) {
        return with(plan -> plan.flipAtByte = atByte);
    }

    PipePlan withGarbage(long atByte) {
        return with(plan -> plan.garbageAtByte = atByte);
    }

    PipePlan withCut(long atByte) {
        return with(plan -> plan.cutAtByte = atByte);
    }

    private PipePlan with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.plan();
    }

    /** A plan that is being changed. */
    private static final class Draft {
        private int capacityBytes;
        private int maxWriteBytes;
        private int maxReadBytes;
        private int idleOneIn;
        private long minDelayNs;
        private long maxDelayNs;
        private long stallAtByte;
        private long stallNs;
        private long flipAtByte;
        private long garbageAtByte;
        private long cutAtByte;

        Draft(PipePlan from) {
            capacityBytes = from.capacityBytes;
            maxWriteBytes = from.maxWriteBytes;
            maxReadBytes = from.maxReadBytes;
            idleOneIn = from.idleOneIn;
            minDelayNs = from.minDelayNs;
            maxDelayNs = from.maxDelayNs;
            stallAtByte = from.stallAtByte;
            stallNs = from.stallNs;
            flipAtByte = from.flipAtByte;
            garbageAtByte = from.garbageAtByte;
            cutAtByte = from.cutAtByte;
        }

        PipePlan plan() {
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
                    cutAtByte);
        }
    }
}
