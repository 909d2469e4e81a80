package io.verbena.tools;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.JsonObject;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
            "BookSim2 simulates the 8x8 mesh at this load with 0.17 million flit-hops per second of one core; this figure"
                    + " was measured once and is printed for comparison.",
            "",
            "Large fabrics do not fit into the caches: JAVA_TOOL_OPTIONS=-XX:+UseTransparentHugePages makes them faster.",
            ""
        },
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "2:wrong arguments"})
final class FabricBenchCommand extends FiguresCommand {

    private static final double BOOKSIM = .17e6;
    private static final int ROUNDS = 5;

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

    FabricBenchCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        for (int side : sides) {
            if (side < 2 || side > 200) {
                throw new UsageProblem("--side must be 2 to 200, not " + side);
            }
        }
        if (hops < 1000) {
            throw new UsageProblem("--hops must be 1000 or more, not " + hops);
        }
        List<JsonObject> results = new ArrayList<>();
        for (int side : sides) {
            double best = 0;
            Traffic traffic = mesh(side);
            // A first round fills the fabric and lets the JVM compile.
            for (int round = 0; round <= ROUNDS; round++) {
                double rate = measure(traffic, side);
                best = round == 0 ? 0 : Math.max(best, rate);
            }
            results.add(new JsonObject()
                    .put("endnodes", (long) side * side)
                    .put("flitHopsPerSecond", best)
                    .put("timesBookSim2", best / BOOKSIM));
            if (!json) {
                terminal.tell(String.format(
                        Locale.ROOT,
                        "%dx%d mesh, %d endnodes: %.2f million flit-hops per second, %.0f ns each%s",
                        side,
                        side,
                        side * side,
                        best / 1e6,
                        1e9 / best,
                        side == 8 ? String.format(Locale.ROOT, "; %.1f times BookSim2", best / BOOKSIM) : ""));
            }
        }
        figures.putObjects("meshes", results);
        return true;
    }

    private static Traffic mesh(int side) {
        return new Traffic(
                Layouts.mesh(new LinkTiming(8, 1, 0), side, side),
                LinkSettings.DEFAULT.withLanes(4).withBuffer(16),
                SwitchSettings.DEFAULT.withDelay(8),
                Pattern.uniform(side * side),
                Load.of(Math.min(1, .4 * 8 / side), 64),
                (from, to) -> from + to & 3);
    }

    /** Flit-hops per second of processor time. */
    private double measure(Traffic traffic, int side) {
        long before = hopsOf(traffic);
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long done = 0;
        while (done < hops) {
            stop.check();
            // Every endnode sends .4 * 8 / side flits per flit time over 2/3 * side + 1 switches.
            double perTick = .4 * 8 / side * side * side * (2.0 / 3 * side + 1) / 8;
            traffic.run(Math.max(8, (long) (hops / perTick / 10)));
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
