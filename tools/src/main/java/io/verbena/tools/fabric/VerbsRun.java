package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.endnode.VerbsTraffic;
import io.verbena.fabric.node.Fabric;
import io.verbena.tools.text.Figures;
import io.verbena.web.NetworkState.Fact;
import java.util.List;
import java.util.Locale;

/** A verbs program on the endnodes of a fabric, from its first message on. */
public final class VerbsRun implements FabricRun {

    private final San san;
    private final VerbsTraffic traffic;
    private final Failures failures;
    private final long startedNs;
    private boolean ended;

    /** A program whose connections are established; it begins now, and so do the times of the faults. */
    public VerbsRun(San san, VerbsTraffic traffic, FaultSchedule faults, FabricNames names) {
        this.san = san;
        this.traffic = traffic;
        startedNs = san.world().elapsedNs();
        failures = new Failures(FaultTarget.of(san), names, () -> san.world().elapsedNs() - startedNs);
        faults.start(san.world(), failures);
        traffic.start();
    }

    /** The network. */
    public San san() {
        return san;
    }

    /** The program, for its figures. */
    public VerbsTraffic traffic() {
        return traffic;
    }

    @Override
    public Fabric fabric() {
        return san.fabric();
    }

    @Override
    public Failures failures() {
        return failures;
    }

    @Override
    public long pass(long ns) {
        long beforeNs = san.world().elapsedNs();
        ended = traffic.run(ns);
        return ended ? san.world().elapsedNs() - beforeNs : ns;
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public String trace() {
        return Long.toHexString(san.traceHash());
    }

    @Override
    public List<Fact> facts() {
        return List.of(
                new Fact("messages", Figures.count(traffic.completed()) + " of " + Figures.count(traffic.messages())),
                new Fact("goodput", String.format(Locale.ROOT, "%.2f GB/s", traffic.goodput())),
                new Fact(
                        "latency, mean",
                        String.format(
                                Locale.ROOT, "%.1f µs", traffic.latencies().mean() / 1e3)),
                new Fact("connections", Figures.count(traffic.connections())),
                new Fact("failed", Figures.count(traffic.failed())),
                new Fact("packets", Figures.count(san.packetsSent())),
                new Fact("lost", Figures.count(san.packetsLost())));
    }

    @Override
    public void close() {
        san.close();
    }
}
