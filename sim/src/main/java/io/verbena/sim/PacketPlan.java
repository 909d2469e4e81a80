package io.verbena.sim;

import java.util.function.Consumer;

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
        return with(plan -> plan.loseOneIn = oneIn);
    }

    public PacketPlan withDuplicates(int oneIn) {
        return with(plan -> plan.doubleOneIn = oneIn);
    }

    public PacketPlan withFlips(int oneIn) {
        return with(plan -> plan.flipOneIn = oneIn);
    }

    public PacketPlan withReordering(int oneIn) {
        return with(plan -> plan.overtakeOneIn = oneIn);
    }

    public PacketPlan withDelays(long leastNs, long mostNs) {
        return with(plan -> {
            plan.minDelayNs = leastNs;
            plan.maxDelayNs = mostNs;
        });
    }

    public PacketPlan withMtu(int bytes) {
        return with(plan -> plan.mtuBytes = bytes);
    }

    public PacketPlan withMarksAt(int bytes) {
        return with(plan -> plan.markAtBytes = bytes);
    }

    public PacketPlan withBuffer(int bytes) {
        return with(plan -> plan.bufferBytes = bytes);
    }

    private PacketPlan with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.plan();
    }

    /** A plan that is being changed. */
    private static final class Draft {
        private int loseOneIn;
        private int doubleOneIn;
        private int flipOneIn;
        private int overtakeOneIn;
        private long minDelayNs;
        private long maxDelayNs;
        private int mtuBytes;
        private int markAtBytes;
        private int bufferBytes;

        Draft(PacketPlan from) {
            loseOneIn = from.loseOneIn;
            doubleOneIn = from.doubleOneIn;
            flipOneIn = from.flipOneIn;
            overtakeOneIn = from.overtakeOneIn;
            minDelayNs = from.minDelayNs;
            maxDelayNs = from.maxDelayNs;
            mtuBytes = from.mtuBytes;
            markAtBytes = from.markAtBytes;
            bufferBytes = from.bufferBytes;
        }

        PacketPlan plan() {
            return new PacketPlan(
                    loseOneIn,
                    doubleOneIn,
                    flipOneIn,
                    overtakeOneIn,
                    minDelayNs,
                    maxDelayNs,
                    mtuBytes,
                    markAtBytes,
                    bufferBytes);
        }
    }
}
