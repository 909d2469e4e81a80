package io.verbena.port;

/**
 * The faults of arriving packets. Start from {@link #none()}. Each frequency means one packet in this many, on average;
 * 0 disables the fault.
 *
 * @param loseOneIn the packet is lost
 * @param doubleOneIn the packet is duplicated
 * @param flipOneIn one bit of the packet is flipped
 * @param holdOneIn the packet is delayed, so that later packets overtake it
 * @param maxHoldNs maximum delay
 */
public record PacketFaults(int loseOneIn, int doubleOneIn, int flipOneIn, int holdOneIn, long maxHoldNs) {

    /** Checks the ranges. */
    public PacketFaults {
        if (loseOneIn < 0 || doubleOneIn < 0 || flipOneIn < 0 || holdOneIn < 0 || maxHoldNs < 0) {
            throw new IllegalArgumentException("frequencies and maxHoldNs must be 0 or more");
        }
    }

    /** No faults. */
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
