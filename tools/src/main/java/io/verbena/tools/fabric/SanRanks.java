package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.Endnode;
import io.verbena.fabric.endnode.San;
import io.verbena.messaging.channel.RankHost;
import io.verbena.sim.VirtualPrograms;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;

/** The endnodes of a simulated network as hosts of messaging's ranks: rank n runs on endnode n. */
public final class SanRanks implements RankHost {

    private static final int SERVICE = 7000;

    /** A rank that waits polls once in this time. */
    private static final long TURN_NS = 1_000;

    private static final RnicOptions RNIC =
            RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(2)));

    private final San san;
    private final VirtualPrograms programs;

    /** Ranks on endnodes whose RNICs are not open. */
    public SanRanks(San san) {
        this.san = san;
        programs = new VirtualPrograms(san.world(), TURN_NS);
    }

    @Override
    public Rnic open(int rank) {
        return san.open(rank, RNIC).rnic();
    }

    @Override
    public SocketAddress address(int rank) {
        Endnode endnode = san.open(rank);
        return endnode.address(SERVICE);
    }

    @Override
    public long nowNs() {
        return san.world().nowNs();
    }

    @Override
    public void pause() {
        programs.pause();
    }

    @Override
    public void run(List<Runnable> all) {
        programs.run(all);
    }
}
