package io.verbena.tools.fabric.command;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Slices;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.BookSim;
import io.verbena.tools.text.JsonObject;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena fabric bench}: how fast the fabric is simulated. */
@Command(
        name = "bench",
        customSynopsis = "verbena fabric bench [OPTIONS]",
        description = {
            "Measure how fast the fabric is simulated: flits that switches forward (flit-hops) per second of processor time"
                    + " of one core, in meshes with dimension-order routes, uniform traffic of one-flit frames, 4 lanes and"
                    + " buffers of 16 flits. The load of the links in the middle is the same in every mesh: an 8x8 mesh"
                    + " has 0.4 flits per endnode and flit time.",
            "",
            "With --booksim, BookSim2 simulates the same mesh between the rounds, and the ratio of both is printed. Without it,"
                    + " nothing is compared.",
            "",
            "Large fabrics do not fit into the caches: JAVA_TOOL_OPTIONS=-XX:+UseTransparentHugePages makes them faster.",
            ""
        },
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:BookSim2 cannot be run", "2:wrong arguments", "130:stopped by Ctrl-C"})
public final class FabricBenchCommand extends FiguresCommand {

    private static final int ROUNDS = 5;
    private static final double LOAD = .4;
    /** The side for which the load is stated. */
    private static final int SIDE = 8;

    private final StopSignal stop;

    @Option(
            names = "--side",
            split = ",",
            paramLabel = "N",
            description = "Sides of the square meshes, 2 to 200. Default: 8,32,100 (64 to 10,000 endnodes).")
    private List<Integer> sides = List.of(8, 32, 100);

    @Option(
            names = "--hops",
            paramLabel = "N",
            description = "Flit-hops per round; the best of 5 rounds counts. Default: 2000000.")
    private long hops = 2_000_000;

    @Option(
            names = "--booksim",
            paramLabel = "PATH",
            description = "Run this BookSim2 program beside it, for the 8x8 mesh: once between two rounds.")
    private Optional<Path> booksim = Optional.empty();

    private int round;
    private int meshes;

    public FabricBenchCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        for (int side : sides) {
            if (side < 2 || side > 200) {
                throw new UsageProblem("--side must be 2 to 200, not " + side);
            }
        }
        if (booksim.isPresent() && !sides.contains(SIDE)) {
            throw new UsageProblem("--booksim needs the side " + SIDE + " among those of --side");
        }
        if (hops < 1000) {
            throw new UsageProblem("--hops must be 1000 or more, not " + hops);
        }
        stop.follow(this::progress);
        List<JsonObject> results = new ArrayList<>();
        for (int side : sides) {
            results.add(measureAll(side));
            meshes++;
        }
        figures.putObjects("meshes", results);
        return true;
    }

    private String progress() {
        return "round " + round + " of " + ROUNDS + " of mesh " + (meshes + 1) + " of " + sides.size();
    }

    /** All rounds of a mesh. BookSim2 runs between them, so that both meet the same other load of the machine. */
    private JsonObject measureAll(int side) throws Exception {
        double best = 0;
        double bestOther = 0;
        Traffic traffic = mesh(side);
        Slices slices = new Slices(stop, 64);
        // A first round fills the fabric and lets the JVM compile.
        for (round = 0; round <= ROUNDS; round++) {
            double rate = measure(traffic, slices);
            best = round == 0 ? 0 : Math.max(best, rate);
            if (booksim.isPresent() && side == SIDE && round > 0) {
                bestOther = Math.max(bestOther, new BookSim(booksim.get()).measure(side, LOAD, stop));
            }
        }
        JsonObject result = new JsonObject().put("endnodes", (long) side * side).put("flitHopsPerSecond", best);
        String comparison = "";
        if (bestOther > 0) {
            result.put("bookSim2FlitHopsPerSecond", bestOther).put("timesBookSim2", best / bestOther);
            comparison = String.format(
                    Locale.ROOT,
                    "; BookSim2 in the same run %.2f million, so %.1f times",
                    bestOther / 1e6,
                    best / bestOther);
        }
        if (!json) {
            terminal.tell(String.format(
                    Locale.ROOT,
                    "%dx%d mesh, %d endnodes: %.2f million flit-hops per second, %.0f ns each%s",
                    side,
                    side,
                    side * side,
                    best / 1e6,
                    1e9 / best,
                    comparison));
        }
        return result;
    }

    private static Traffic mesh(int side) {
        return new Traffic(
                Layouts.mesh(new LinkTiming(8, 1, 0), side, side),
                LinkSettings.DEFAULT.withLanes(4).withBuffer(16),
                SwitchSettings.DEFAULT.withDelay(8),
                Pattern.uniform(side * side),
                Load.of(Math.min(1, LOAD * SIDE / side), 64),
                (from, to) -> from + to & 3);
    }

    /** Flit-hops per second of processor time. */
    private double measure(Traffic traffic, Slices slices) {
        long before = hopsOf(traffic);
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long done = 0;
        while (done < hops) {
            slices.pass(slices.size(), traffic::run);
            done = hopsOf(traffic) - before;
        }
        return done * 1e9 / Math.max(1, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start);
    }

    private static long hopsOf(Traffic traffic) {
        Wiring wiring = traffic.fabric().wiring();
        long sum = 0;
        for (int port = 0; port < wiring.ports(); port++) {
            sum += wiring.isSwitch(wiring.nodeOf(port))
                    ? traffic.fabric().counters().flitsSent(port)
                    : 0;
        }
        return sum;
    }
}
