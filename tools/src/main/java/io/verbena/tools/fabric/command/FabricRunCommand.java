package io.verbena.tools.fabric.command;

import io.verbena.fabric.link.LinkCounters;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.traffic.Latencies;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FabricLoads;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.TrafficRun;
import io.verbena.tools.fabric.WiringSource;
import io.verbena.tools.fabric.live.LiveRun;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.web.WebServer;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena fabric run}: traffic over a simulated fabric. */
@Command(
        name = "run",
        customSynopsis = "verbena fabric run [OPTIONS] TOPOLOGY",
        description = {
            "Send traffic over a simulated fabric, flit by flit in virtual time, and report throughput, latency,"
                    + " waiting for credits, retransmissions and deadlocks. Two runs of a seed are equal.",
            "",
            "Links carry flits of 64 bytes with credits of each virtual lane; a damaged flit is sent again. Frames"
                    + " follow dimension order in a mesh, torus or ring, shortest ways in a dragonfly, and up/down routes"
                    + " elsewhere, or the routes that --routing names.",
            "",
            "A torus, ring or dragonfly needs two lanes to be free of deadlocks. With --lanes 1 the cycle of lanes is"
                    + " reported instead.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric run fat-tree:8 --load 0.7",
            "  verbena fabric run mesh:8x8 --load 0.4 --lanes 2 --errors 1e-4",
            "  verbena fabric run leaf-spine:8x4 --pattern permutation --adaptive",
            "  verbena fabric run fat-tree:4 --adaptive --fault '5 down core-1' --fault '9 slow h3 50'",
            "  verbena fabric run dragonfly:4x2x2 --web     in a browser, where links fail by click",
            "  verbena fabric run ring:8 --pattern tornado --load 1 --lanes 1      a deadlock"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:frames arrived",
            "1:a deadlock, or the file cannot be read",
            "2:wrong arguments",
            "130:ended by Ctrl-C"
        })
public final class FabricRunCommand extends FiguresCommand {

    /** A microsecond of virtual time in a second. */
    private static final double SPEED = 1_000;

    private final StopSignal stop;

    @Mixin
    private final TrafficArguments arguments = new TrafficArguments();

    @Mixin
    private final NetworkWebArguments web = new NetworkWebArguments();

    public FabricRunCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        WiringSource source = arguments.source(terminal);
        if (web.wanted()) {
            return show(source, figures);
        }
        Traffic traffic = arguments.traffic(source);
        FaultSchedule faults = arguments.faults(source);
        arguments.warmUp(traffic, stop);
        arguments.run(traffic, faults, terminal, stop);
        return report(source, traffic, figures);
    }

    /** Runs at a pace that people can follow, until Ctrl-C. */
    private boolean show(WiringSource source, JsonObject figures) throws Exception {
        FabricNames names = new FabricNames(source.topology(), source.wiring());
        // Wrong arguments are noticed here, before the page begins.
        arguments.traffic(source);
        arguments.faults(source);
        try (LiveRun live = new LiveRun(arguments.name(), names, () -> begin(source, names), SPEED, System::nanoTime);
                WebServer _ = web.show(live, terminal::say)) {
            stop.onServing();
            live.serve(stop);
            return report(source, ((TrafficRun) live.run()).traffic(), figures);
        }
    }

    private TrafficRun begin(WiringSource source, FabricNames names) {
        try {
            return new TrafficRun(arguments.traffic(source), arguments.faults(source), names, arguments.warmUpTicks());
        } catch (UsageProblem | Failure e) {
            throw new IllegalStateException("The arguments were valid before.", e);
        }
    }

    private boolean report(WiringSource source, Traffic traffic, JsonObject figures) {
        Fabric fabric = traffic.fabric();
        Latencies latencies = traffic.latencies();
        LinkCounters counters = fabric.counters();
        long resent = 0;
        double stalled = 0;
        int links = 0;
        for (int port = 0; port < source.wiring().ports(); port++) {
            resent += counters.flitsResent(port);
            stalled += counters.stalledTicks(port);
            links += source.wiring().peer(port) >= 0 ? 1 : 0;
        }
        stalled /= Math.max(1.0, (double) links * fabric.now());
        List<String> cycle = new FabricLoads(source, fabric).names(fabric.deadlock());
        figures.put("endnodes", source.wiring().lids())
                .put("routes", source.routes())
                .put("offered", traffic.offered())
                .put("accepted", traffic.accepted())
                .put("frames", latencies.count())
                .put("latencyMeanNs", ns(latencies.mean()))
                .put("latencyMedianNs", ns(latencies.quantile(.5)))
                .put("latency99Ns", ns(latencies.quantile(.99)))
                .put("latencyMostNs", ns(latencies.most()))
                .put("waitingForCredits", stalled)
                .put("flitsResent", resent)
                .put("creditsLost", fabric.creditLevels().lost())
                .put("creditsRestored", fabric.creditLevels().restored())
                .put("discarded", fabric.discarded())
                .put("cut", traffic.cut())
                .put("inFlight", fabric.inFlight())
                .put("traceHash", Long.toHexString(fabric.hash()))
                .putStrings("deadlock", cycle);
        if (!json) {
            describe(source, traffic, stalled, resent, cycle);
        }
        return cycle.isEmpty();
    }

    private void describe(WiringSource source, Traffic traffic, double stalled, long resent, List<String> cycle) {
        Fabric fabric = traffic.fabric();
        Latencies latencies = traffic.latencies();
        say(source.wiring().lids() + " endnodes, " + source.routes() + " routes, " + arguments.microseconds
                + " µs of virtual time, trace hash " + Long.toHexString(fabric.hash()));
        say(String.format(
                Locale.ROOT,
                "offered %.3f of each link, accepted %.3f; %s frames",
                traffic.offered(),
                traffic.accepted(),
                Figures.count(latencies.count())));
        say(String.format(
                Locale.ROOT,
                "latency mean %.0f ns, median %.0f, 99 %% below %.0f, longest %.0f",
                ns(latencies.mean()),
                ns(latencies.quantile(.5)),
                ns(latencies.quantile(.99)),
                ns(latencies.most())));
        say(String.format(
                Locale.ROOT,
                "ports waited for credits %.1f %% of the time; %s flits sent again; %s frames discarded, %s cut by a"
                        + " fault",
                100 * stalled,
                Figures.count(resent),
                Figures.count(fabric.discarded()),
                Figures.count(traffic.cut())));
        if (!cycle.isEmpty()) {
            say("DEADLOCK: " + String.join(" waits for ", cycle) + " waits for the first. Use more lanes.");
        }
    }

    private void say(String line) {
        terminal.tell(line);
    }

    private static double ns(long ticks) {
        return ns((double) ticks);
    }

    private static double ns(double ticks) {
        return ticks * LinkTiming.PICOSECONDS_PER_TICK / 1000;
    }
}
