package io.verbena.tools.fabric.command;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.node.Organisation;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Slices;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.FaultTarget;
import io.verbena.tools.fabric.TrafficPattern;
import io.verbena.tools.fabric.WiringSource;
import io.verbena.tools.text.ProgressBar;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The arguments of commands that send traffic over a simulated fabric. */
final class TrafficArguments {

    private static final int STEPS = 100;
    /** Ticks that any fabric passes in a moment. */
    private static final long FIRST_SLICE = 64;

    @Mixin
    private TopologyArgument topology = new TopologyArgument();

    @Mixin
    private FaultArguments faults = new FaultArguments();

    @Mixin
    private LaneArguments tables = new LaneArguments();

    @Option(
            names = "--pattern",
            paramLabel = "PATTERN",
            description = "uniform, permutation, tornado, incast or all-to-all. Default: uniform.")
    TrafficPattern pattern = TrafficPattern.UNIFORM;

    @Option(
            names = "--load",
            paramLabel = "PART",
            description = "Part of its link that every endnode uses, up to 1. Default: 0.4.")
    double load = .4;

    @Option(
            names = "--routing",
            paramLabel = "ENGINE",
            description = "Let Verbena's subnet manager compute the routes: minhop, up_down or fat_tree. Default:"
                    + " dimension order in a mesh, torus or ring, shortest ways in a dragonfly, up/down elsewhere.")
    private Optional<Routing> routing = Optional.empty();

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
    boolean adaptive;

    @Option(names = "--time", paramLabel = "MICROSECONDS", description = "Virtual time that is measured. Default: 20.")
    int microseconds = 20;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of traffic and errors. Default: 1.")
    private long seed = 1;

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    /** The fabric that the arguments name. */
    WiringSource source(Terminal terminal) throws Failure, UsageProblem {
        UsageProblem.check(
                microseconds >= 1 && microseconds <= 1_000_000,
                "--time must be 1 to 1000000 microseconds, not " + microseconds);
        return topology.wiring(routing, terminal);
    }

    /** The topology as it was named. */
    String name() {
        return topology.name();
    }

    /** Its traffic, which has not begun. */
    Traffic traffic(WiringSource source) throws UsageProblem {
        try {
            SwitchSettings settings = SwitchSettings.DEFAULT.with(organisation);
            LinkSettings link = LinkSettings.DEFAULT
                    .withLanes(lanes == 0 ? source.leastLanes() : lanes)
                    .withBuffer(bufferFlits)
                    .withErrors(errors)
                    .withSeed(seed);
            return new Traffic(
                    source.wiring(),
                    tables.of(link),
                    adaptive ? settings.adaptively() : settings,
                    pattern.of(source.wiring().lids(), source.sides(), new SeededNumbers(seed)),
                    Load.of(load, frameBytes),
                    source.leastLanes() > 1 ? source.levels() : (from, to) -> (from + to) % link.lanes());
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    /** The faults of its fabric. */
    FaultSchedule faults(WiringSource source) throws Failure, UsageProblem {
        return faults.schedule(source.topology(), source.wiring());
    }

    /** Time before anything is measured. */
    long warmUpTicks() {
        return ticks() / 4;
    }

    /** A quarter of the time passes before anything is measured. */
    void warmUp(Traffic traffic, StopSignal stop) {
        new Slices(stop, FIRST_SLICE).pass(warmUpTicks(), traffic::run);
        traffic.warmUp(0);
    }

    /** Lets the measured time pass, with a progress bar. */
    public void run(Traffic traffic, FaultSchedule schedule, Terminal terminal, StopSignal stop) {
        ProgressBar bar = terminal.bar(stop, quiet.quiet(), "Microseconds", microseconds);
        Slices slices = new Slices(stop, FIRST_SLICE);
        try {
            for (int step = 1; step <= STEPS; step++) {
                long from = ticks() * (step - 1) / STEPS;
                schedule.run(
                        from,
                        ticks() * step / STEPS - from,
                        FaultTarget.of(traffic.fabric()),
                        ticks -> slices.pass(ticks, traffic::run));
                bar.update((long) microseconds * step / STEPS, System.nanoTime());
            }
        } finally {
            bar.clear();
        }
    }

    private long ticks() {
        return microseconds * 1_000_000L / LinkTiming.PICOSECONDS_PER_TICK;
    }
}
