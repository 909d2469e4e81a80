package io.verbena.port.faults;

/**
 * The faults of arriving packets. Start from {@link #none()}. Each frequency means one packet in this many, on average;
 * 0 disables the fault.
 *
 * @param loseOneIn the packet is lost
 * @param doubleOneIn the packet is duplicated
 * @param flipOneIn one bit of the packet is flipped
 * @param holdOneIn the packet is delayed, so that later packets overtake it
 * @param maxHoldNs maximum delay
 * @param outages times in which every arriving packet is lost, and paths on which every sent one is
 */
public record PacketFaults(
        int loseOneIn, int doubleOneIn, int flipOneIn, int holdOneIn, long maxHoldNs, Outages outages) {

    /**
     * Times in which every arriving packet is lost, and paths on which every sent packet is.
     *
     * @param afterBytes bytes in both directions from one outage to the next; 0 for no outages
     * @param lastingNs duration of an outage
     * @param paths the paths
     */
    public record Outages(long afterBytes, long lastingNs, PathCuts paths) {

        /** None. */
        public static final Outages NONE = new Outages(0, 0, PathCuts.NONE);

        /** Checks the ranges. */
        public Outages {
            if (afterBytes < 0 || lastingNs < 0) {
                throw new IllegalArgumentException("afterBytes and lastingNs must be 0 or more");
            }
        }
    }

    /** Checks the ranges. */
    public PacketFaults {
        if (loseOneIn < 0 || doubleOneIn < 0 || flipOneIn < 0 || holdOneIn < 0 || maxHoldNs < 0) {
            throw new IllegalArgumentException("frequencies and maxHoldNs must be 0 or more");
        }
    }

    /** No faults. */
    public static PacketFaults none() {
        return new PacketFaults(0, 0, 0, 0, 0, Outages.NONE);
    }

    public PacketFaults withLoss(int oneIn) {
        return new PacketFaults(oneIn, doubleOneIn, flipOneIn, holdOneIn, maxHoldNs, outages);
    }

    public PacketFaults withDuplicates(int oneIn) {
        return new PacketFaults(loseOneIn, oneIn, flipOneIn, holdOneIn, maxHoldNs, outages);
    }

    public PacketFaults withFlips(int oneIn) {
        return new PacketFaults(loseOneIn, doubleOneIn, oneIn, holdOneIn, maxHoldNs, outages);
    }

    public PacketFaults withHolds(int oneIn, long maxNs) {
        return new PacketFaults(loseOneIn, doubleOneIn, flipOneIn, oneIn, maxNs, outages);
    }

    /** All arriving packets are lost for some time whenever this many bytes have passed, so that connections break. */
    public PacketFaults withOutages(long bytes, long lastingNs) {
        return new PacketFaults(
                loseOneIn,
                doubleOneIn,
                flipOneIn,
                holdOneIn,
                maxHoldNs,
                new Outages(bytes, lastingNs, outages.paths()));
    }

    /** Packets that are sent on these paths are lost. */
    public PacketFaults withCuts(PathCuts paths) {
        return new PacketFaults(
                loseOneIn,
                doubleOneIn,
                flipOneIn,
                holdOneIn,
                maxHoldNs,
                new Outages(outages.afterBytes(), outages.lastingNs(), paths));
    }
}
