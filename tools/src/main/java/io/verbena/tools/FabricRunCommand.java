package io.verbena.tools;

import io.verbena.fabric.link.LinkCounters;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.node.Deadlock;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Organisation;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.traffic.Latencies;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.fabric.TrafficPattern;
import io.verbena.tools.fabric.WiringSource;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric run}: traffic over a simulated fabric. */
@Command(
        name = "run",
        customSynopsis = "verbena fabric run [OPTIONS] TOPOLOGY",
        description = {
            "Send traffic over a simulated fabric, flit by flit in virtual time, and report throughput, latency, waiting for"
                    + " credits, retransmissions and deadlocks. Two runs of a seed are equal.",
            "",
            "Links carry flits of 64 bytes with credits of each virtual lane; a damaged flit is sent again. Frames follow"
                    + " dimension order in a mesh, torus or ring, shortest ways in a dragonfly, and up/down routes elsewhere.",
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
            "  verbena fabric run ring:8 --pattern tornado --load 1 --lanes 1      a deadlock"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:frames arrived", "1:a deadlock, or the file cannot be read", "2:wrong arguments"})
final class FabricRunCommand extends FiguresCommand {

    private static final int STEPS = 100;

    private final StopSignal stop;

    @Mixin
    private TopologyArgument topology = new TopologyArgument();

    @Option(
            names = "--pattern",
            paramLabel = "PATTERN",
            description = "uniform, permutation, tornado, incast or all-to-all. Default: uniform.")
    private TrafficPattern pattern = TrafficPattern.UNIFORM;

    @Option(
            names = "--load",
            paramLabel = "PART",
            description = "Part of its link that every endnode uses, up to 1. Default: 0.4.")
    private double load = .4;

    @Option(names = "--frame", paramLabel = "BYTES", description = "Length of a frame. Default: 256.")
    private int frameBytes = 256;

    @Option(names = "--lanes", paramLabel = "N", description = "Virtual lanes, 1 to 15. Default: what the routes need.")
    private int lanes;

    @Option(names = "--buffer", paramLabel = "FLITS", description = "Buffer of each lane of an input. Default: 64.")
    private int bufferFlits = 64;

    @Option(names = "--errors", paramLabel = "RATE", description = "Probability that a flit is damaged. Default: 0.")
    private double errors;

    @Option(
            names = "--switch",
            paramLabel = "KIND",
            description = "Where frames wait: input-queues, virtual-output-queues (iSLIP) or output-queues (ideal)."
                    + " Default: input-queues.")
    private Organisation organisation = Organisation.INPUT_QUEUES;

    @Option(names = "--adaptive", description = "Switches choose among ports by their load.")
    private boolean adaptive;

    @Option(names = "--time", paramLabel = "MICROSECONDS", description = "Virtual time that is measured. Default: 20.")
    private int microseconds = 20;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of traffic and errors. Default: 1.")
    private long seed = 1;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show no progress.")
    private boolean quiet;

    FabricRunCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        if (microseconds < 1 || microseconds > 1_000_000) {
            throw new UsageProblem("--time must be 1 to 1000000 microseconds, not " + microseconds);
        }
        WiringSource source = topology.wiring();
        Traffic traffic;
        try {
            traffic = traffic(source);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        ProgressBar bar = quiet
                ? ProgressBar.hidden()
                : new ProgressBar(terminal.err(), terminal.interactive(), "Microseconds", microseconds);
        long ticks = microseconds * 1_000_000L / LinkTiming.PICOSECONDS_PER_TICK;
        try {
            traffic.warmUp(ticks / 4);
            for (int step = 1; step <= STEPS; step++) {
                stop.check();
                traffic.run(ticks * step / STEPS - ticks * (step - 1) / STEPS);
                bar.update((long) microseconds * step / STEPS, System.nanoTime());
            }
        } finally {
            bar.clear();
        }
        return report(source, traffic, figures);
    }

    private Traffic traffic(WiringSource source) {
        SwitchSettings settings = SwitchSettings.DEFAULT.with(organisation);
        LinkSettings link = LinkSettings.DEFAULT
                .withLanes(lanes == 0 ? source.leastLanes() : lanes)
                .withBuffer(bufferFlits)
                .withErrors(errors)
                .withSeed(seed);
        return new Traffic(
                source.wiring(),
                link,
                adaptive ? settings.adaptively() : settings,
                pattern.of(source.wiring().lids(), source.sides(), new SeededNumbers(seed)),
                Load.of(load, frameBytes),
                source.leastLanes() > 1 ? source.levels() : (from, to) -> (from + to) % link.lanes());
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
        List<String> cycle =
                fabric.deadlock().stream().map(Deadlock.Lane::toString).toList();
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
                .put("discarded", fabric.discarded())
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
        say(source.wiring().lids() + " endnodes, " + source.routes() + " routes, " + microseconds
                + " us of virtual time, trace hash " + Long.toHexString(fabric.hash()));
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
                "ports waited for credits %.1f %% of the time; %s flits sent again; %s frames discarded",
                100 * stalled,
                Figures.count(resent),
                Figures.count(fabric.discarded())));
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
