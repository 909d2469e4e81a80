package io.verbena.sim;

/**
 * The treatment of packets by the virtual packet network. A frequency means one packet in this many, on average; 0
 * disables the fault.
 *
 * @param loseOneIn a packet is lost
 * @param doubleOneIn a packet is duplicated
 * @param flipOneIn one bit of a packet is flipped
 * @param overtakeOneIn a packet has a delay of its own, so that later ones overtake it
 * @param minDelayNs minimum transit time
 * @param maxDelayNs maximum transit time; short ones are more frequent
 * @param mtuBytes maximum UDP payload; longer packets are lost
 * @param markAtBytes a receiver whose buffer holds this much marks ECN-capable packets as "congestion experienced"
 * @param bufferBytes size of the receive buffer; packets that do not fit are dropped
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

    /** A good network: short delays, no loss unless a receiver is too slow. */
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
