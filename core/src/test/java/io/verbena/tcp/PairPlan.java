package io.verbena.tcp;

import io.verbena.tcp.state.TcpSettings;
import java.util.Random;

/**
 * What happens in one {@link PairRun}. A frequency means one packet in this many, on average; 0 disables the fault.
 *
 * @param lossOneIn packets that are lost
 * @param lateOneIn packets that are late, so that others overtake them
 * @param duplicateOneIn packets that arrive twice
 * @param spoiltOneIn packets with a changed bit
 * @param delayNs time of a packet on the path
 * @param bytes bytes in each direction
 * @param first settings of the side that connects
 * @param second settings of the side that accepts
 * @param reception how bytes are delivered
 * @param ipv6 whether packets are those of IPv6
 */
record PairPlan(
        int lossOneIn,
        int lateOneIn,
        int duplicateOneIn,
        int spoiltOneIn,
        long delayNs,
        int bytes,
        TcpSettings first,
        TcpSettings second,
        Reception reception,
        boolean ipv6) {

    /**
     * How bytes are delivered.
     *
     * @param segments as segments
     * @param lent from memory that the carrier uses again after the turn, several packets in a turn
     * @param guesses the owner withdraws some of what it has taken
     */
    record Reception(boolean segments, boolean lent, boolean guesses) {}

    static PairPlan calm() {
        return new PairPlan(
                0,
                0,
                0,
                0,
                100_000,
                1_000_000,
                TcpSettings.defaults(),
                TcpSettings.defaults(),
                new Reception(true, true, false),
                false);
    }

    static PairPlan of(long seed) {
        Random random = new Random(seed);
        int lossOneIn = pick(random, 0, 3, 10, 30, 200);
        // With a third of the packets lost, most of the time is spent in timeouts of up to a minute.
        int mostBytes = lossOneIn == 3 ? 10_000 : random.nextInt(4) == 0 ? 400_000 : 40_000;
        return new PairPlan(
                lossOneIn,
                pick(random, 0, 2, 5, 20, 100),
                pick(random, 0, 5, 50),
                pick(random, 0, 0, 10, 50),
                pick(random, 1_000, 100_000, 5_000_000, 80_000_000),
                random.nextInt(mostBytes),
                settings(random),
                settings(random),
                new Reception(random.nextInt(3) > 0, random.nextInt(3) > 0, random.nextInt(3) == 0),
                random.nextBoolean());
    }

    private static int pick(Random random, int... values) {
        return values[random.nextInt(values.length)];
    }

    private static TcpSettings settings(Random random) {
        return TcpSettings.defaults()
                .withMtu(pick(random, 576, 1500, 1500, 9000))
                .withBuffers(pick(random, 65_536, 200_000, 1 << 20), pick(random, 65_536, 300_000))
                .withCongestion(random.nextBoolean() ? TcpSettings.Congestion.CUBIC : TcpSettings.Congestion.NEW_RENO)
                .withFeatures(
                        new TcpSettings.Features(random.nextInt(4) > 0, random.nextInt(3) > 0, random.nextInt(4) > 0))
                .withTimers(new TcpSettings.Timers(
                        200_000_000, 40_000_000, 2_000_000_000L, 3_000_000_000_000L, 3_000_000_000_000L));
    }
}
