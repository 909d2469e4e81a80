package io.verbena.tools.fabric;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.text.Figures;
import io.verbena.web.NetworkState.Fact;
import java.util.List;
import java.util.Locale;

/** Traffic of frames over a fabric. Faults happen after a time without measurement, as in {@code verbena fabric run}. */
public final class TrafficRun implements FabricRun {

    private static final long PICOSECONDS = 1_000;

    private final Traffic traffic;
    private final FaultSchedule faults;
    private final Failures failures;
    private final long warmUpTicks;
    private long passedNs;

    /** Traffic that has not begun, and its faults. */
    public TrafficRun(Traffic traffic, FaultSchedule faults, FabricNames names, long warmUpTicks) {
        this.traffic = traffic;
        this.faults = faults;
        this.warmUpTicks = warmUpTicks;
        failures = new Failures(
                FaultTarget.of(traffic.fabric()),
                names,
                () -> traffic.fabric().now() * LinkTiming.PICOSECONDS_PER_TICK / PICOSECONDS);
    }

    /** The traffic, for its figures. */
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public Fabric fabric() {
        return traffic.fabric();
    }

    @Override
    public Failures failures() {
        return failures;
    }

    @Override
    public long pass(long ns) {
        passedNs += ns;
        long end = passedNs * PICOSECONDS / LinkTiming.PICOSECONDS_PER_TICK;
        long now = traffic.fabric().now();
        if (now < warmUpTicks) {
            traffic.run(Math.min(end, warmUpTicks) - now);
            if (end < warmUpTicks) {
                return ns;
            }
            traffic.warmUp(0);
            now = warmUpTicks;
        }
        faults.run(now - warmUpTicks, end - now, failures, traffic::run);
        return ns;
    }

    @Override
    public boolean ended() {
        return false;
    }

    @Override
    public String trace() {
        return Long.toHexString(traffic.fabric().hash());
    }

    @Override
    public List<Fact> facts() {
        Fabric fabric = traffic.fabric();
        return List.of(
                new Fact("offered", percent(traffic.offered())),
                new Fact("accepted", percent(traffic.accepted())),
                new Fact("frames", Figures.count(traffic.latencies().count())),
                new Fact("latency, mean", ns(traffic.latencies().mean())),
                new Fact("latency, 99 %", ns(traffic.latencies().quantile(.99))),
                new Fact("on the way", Figures.count(fabric.inFlight())),
                new Fact("discarded", Figures.count(fabric.discarded())),
                new Fact("cut", Figures.count(traffic.cut())));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static String ns(double ticks) {
        return String.format(Locale.ROOT, "%.0f ns", ticks * LinkTiming.PICOSECONDS_PER_TICK / PICOSECONDS);
    }
}
