package io.verbena.sim;

import io.verbena.tcp.state.TcpSettings;

/** The TCP and the packet network of a seed. */
final class TcpWeather {

    private static final long MICROSECOND = 1_000;

    private TcpWeather() {}

    static TcpSettings settings(SimRandom random) {
        return TcpSettings.defaults()
                .withMtu(random.pick(1_000, 1_500, 1_500, 9_000))
                .withBuffers(random.pick(128, 512, 1024) * 1024, random.pick(128, 512) * 1024)
                .withCongestion(random.oneIn(2) ? TcpSettings.Congestion.CUBIC : TcpSettings.Congestion.NEW_RENO)
                .withFeatures(new TcpSettings.Features(!random.oneIn(6), random.oneIn(2), !random.oneIn(6)));
    }

    /** The packet network of RoCE: seven retries without progress end a connection, so that one packet in fifty is lost at most. */
    static PacketPlan roce(SimRandom random) {
        return PacketPlan.calm()
                .withLoss(random.pick(0, 50, 50, 200))
                .withDuplicates(random.pick(0, 20, 100))
                .withFlips(random.pick(0, 0, 200))
                .withReordering(random.pick(0, 20, 20, 100))
                .withDelays(MICROSECOND, random.pick(10, 100, 1_000) * MICROSECOND);
    }

    static PacketPlan plan(SimRandom random) {
        return PacketPlan.calm()
                .withLoss(random.pick(0, 20, 50, 200))
                .withDuplicates(random.pick(0, 10, 100))
                .withFlips(random.pick(0, 0, 100))
                .withReordering(random.pick(0, 3, 20))
                .withDelays(MICROSECOND, random.pick(10, 100, 1_000) * MICROSECOND);
    }
}
