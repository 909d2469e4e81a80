package io.verbena.sim;

/**
 * How the virtual packet network treats packets. Frequencies are "one packet in so many, on average"; 0 is never.
 *
 * @param loseOneIn a packet is lost
 * @param doubleOneIn a packet arrives twice
 * @param flipOneIn one bit of a packet is flipped
 * @param overtakeOneIn a packet takes a delay of its own, so that later ones pass it
 * @param minDelayNs shortest time on the way
 * @param maxDelayNs longest time on the way; short ones are more frequent
 * @param mtuBytes longest UDP payload that passes; longer packets are lost
 * @param markAtBytes a receiver whose buffer holds this much marks ECN-capable packets as "congestion experienced"
 * @param bufferBytes what a receiver holds before it drops packets
 */
public record PacketPlan(
        int loseOneIn,
        int doubleOneIn,
        int flipOneIn,
        int overtakeOneIn,
        long minDelayNs,
        long maxDelayNs,
        int mtuBytes,
        int markAtBytes,
        int bufferBytes) {

    private static final int LONGEST = 65_507;

    /** A good network: short delays, nothing lost unless a receiver is too slow. */
    public static PacketPlan calm() {
        return new PacketPlan(0, 0, 0, 0, 1_000, 20_000, LONGEST, Integer.MAX_VALUE, 4 << 20);
    }

    public PacketPlan withLoss(int oneIn) {
        return new PacketPlan(
                oneIn,
                doubleOneIn,
                flipOneIn,
                overtakeOneIn,
                minDelayNs,
                maxDelayNs,
                mtuBytes,
                markAtBytes,
                bufferBytes);
    }

    public PacketPlan withDuplicates(int oneIn) {
        return new PacketPlan(
                loseOneIn, oneIn, flipOneIn, overtakeOneIn, minDelayNs, maxDelayNs, mtuBytes, markAtBytes, bufferBytes);
    }

    public PacketPlan withFlips(int oneIn) {
        return new PacketPlan(
                loseOneIn,
                doubleOneIn,
                oneIn,
                overtakeOneIn,
                minDelayNs,
                maxDelayNs,
                mtuBytes,
                markAtBytes,
                bufferBytes);
    }

    public PacketPlan withReordering(int oneIn) {
        return new PacketPlan(
                loseOneIn, doubleOneIn, flipOneIn, oneIn, minDelayNs, maxDelayNs, mtuBytes, markAtBytes, bufferBytes);
    }

    public PacketPlan withDelays(long leastNs, long mostNs) {
        return new PacketPlan(
                loseOneIn, doubleOneIn, flipOneIn, overtakeOneIn, leastNs, mostNs, mtuBytes, markAtBytes, bufferBytes);
    }

    public PacketPlan withMtu(int bytes) {
        return new PacketPlan(
                loseOneIn,
                doubleOneIn,
                flipOneIn,
                overtakeOneIn,
                minDelayNs,
                maxDelayNs,
                bytes,
                markAtBytes,
                bufferBytes);
    }

    public PacketPlan withMarksAt(int bytes) {
        return new PacketPlan(
                loseOneIn, doubleOneIn, flipOneIn, overtakeOneIn, minDelayNs, maxDelayNs, mtuBytes, bytes, bufferBytes);
    }

    public PacketPlan withBuffer(int bytes) {
        return new PacketPlan(
                loseOneIn, doubleOneIn, flipOneIn, overtakeOneIn, minDelayNs, maxDelayNs, mtuBytes, markAtBytes, bytes);
    }
}
