package io.verbena.port;

/**
 * What goes wrong with packets on their way in. Start from {@link #none()}. Each figure is "one packet in so many, on
 * average"; 0 is never.
 *
 * @param loseOneIn the packet is lost
 * @param doubleOneIn the packet arrives twice
 * @param flipOneIn one bit of the packet is flipped
 * @param holdOneIn the packet is held back, so that later ones pass it
 * @param maxHoldNs longest time that it is held
 */
public record PacketFaults(int loseOneIn, int doubleOneIn, int flipOneIn, int holdOneIn, long maxHoldNs) {

    /** Checks the ranges. */
    public PacketFaults {
        if (loseOneIn < 0 || doubleOneIn < 0 || flipOneIn < 0 || holdOneIn < 0 || maxHoldNs < 0) {
            throw new IllegalArgumentException("frequencies and times of faults must not be negative");
        }
    }

    /** Nothing goes wrong. */
    public static PacketFaults none() {
        return new PacketFaults(0, 0, 0, 0, 0);
    }

    public PacketFaults withLoss(int oneIn) {
        return new PacketFaults(oneIn, doubleOneIn, flipOneIn, holdOneIn, maxHoldNs);
    }

    public PacketFaults withDuplicates(int oneIn) {
        return new PacketFaults(loseOneIn, oneIn, flipOneIn, holdOneIn, maxHoldNs);
    }

    public PacketFaults withFlips(int oneIn) {
        return new PacketFaults(loseOneIn, doubleOneIn, oneIn, holdOneIn, maxHoldNs);
    }

    public PacketFaults withHolds(int oneIn, long maxNs) {
        return new PacketFaults(loseOneIn, doubleOneIn, flipOneIn, oneIn, maxNs);
    }
}
