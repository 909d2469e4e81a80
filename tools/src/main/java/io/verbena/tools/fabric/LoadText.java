package io.verbena.tools.fabric;

import io.verbena.fabric.topology.Topology;
import io.verbena.tools.fabric.FabricLoads.Flow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How busy the links of a fabric are, as lines of text. */
public final class LoadText {

    private static final int BARS = 10;
    private static final int BAR_WIDTH = 40;

    private LoadText() {}

    /** How many directions of links have each tenth of load, as bars. */
    public static List<String> distribution(List<Flow> flows) {
        int[] counts = new int[BARS + 1];
        for (Flow flow : flows) {
            counts[flow.load() == 0 ? 0 : (int) Math.clamp(Math.ceil(flow.load() * BARS - 1e-9), 1, BARS)]++;
        }
        int most = 1;
        for (int count : counts) {
            most = Math.max(most, count);
        }
        List<String> lines = new ArrayList<>(List.of("", "load           directions of links"));
        for (int i = 0; i <= BARS; i++) {
            String range = i == 0 ? "idle" : (i - 1) * 10 + " to " + i * 10 + " %";
            String bar = "#".repeat(Math.ceilDiv(counts[i] * BAR_WIDTH, most));
            lines.add(String.format(Locale.ROOT, "%-12s %6d  %s", range, counts[i], bar)
                    .stripTrailing());
        }
        return lines;
    }

    /** The busiest directions of links as a table; no lines if it has no rows. */
    public static List<String> busiest(Topology topology, List<Flow> byLoad, int rows) {
        if (rows == 0) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("busiest                                       load  waits for credits");
        for (Flow flow : byLoad.stream().limit(rows).toList()) {
            String name = topology.node(flow.from()).name() + " > "
                    + topology.node(flow.to()).name();
            lines.add(String.format(
                    Locale.ROOT,
                    "%-44s %3.0f %%  %3.0f %% of the time",
                    name,
                    100 * flow.load(),
                    100 * flow.stalled()));
        }
        lines.add("");
        return lines;
    }
}
