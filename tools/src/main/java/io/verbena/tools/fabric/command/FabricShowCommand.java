package io.verbena.tools.fabric.command;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FabricLoads;
import io.verbena.tools.fabric.FabricLoads.Flow;
import io.verbena.tools.fabric.FabricPicture;
import io.verbena.tools.fabric.LoadText;
import io.verbena.tools.fabric.WiringSource;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric show}: a picture of a fabric with traffic. */
@Command(
        name = "show",
        customSynopsis = "verbena fabric show [OPTIONS] TOPOLOGY",
        description = {
            "Send traffic over a simulated fabric and show how busy each of its links was: as a table, and as a"
                    + " picture in which the colour and the width of a link are its load.",
            "",
            "Each link has a line for each direction; beyond 700 links there is one line, for the busier direction, and"
                    + " a tree has one symbol for nodes with the same neighbours. In"
                    + " a browser, each node and link shows its name and figures under the mouse.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric show leaf-spine:8x4 --svg fabric.svg",
            "  verbena fabric show torus:8x8 --pattern tornado --svg torus.svg",
            "  verbena fabric show torus:8x8 --routing up_down --svg torus.svg      the root of the tree is busy",
            "  verbena fabric show fat-tree:8 --path 'h0 to h100'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:shown", "1:a deadlock, or a file cannot be read or written", "2:wrong arguments"})
public final class FabricShowCommand extends FiguresCommand {

    private final StopSignal stop;

    @Mixin
    private final TrafficArguments arguments = new TrafficArguments();

    @Option(
            names = "--path",
            paramLabel = "'NODE to NODE'",
            description = "Mark the path from one endnode to another. A host stands for its first adapter.")
    private Optional<String> path = Optional.empty();

    @Option(
            names = "--busiest",
            paramLabel = "N",
            description = "Number of busiest links in the table, 0 to 1000. Default: 8.")
    private int busiest = 8;

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    public FabricShowCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (busiest < 0 || busiest > 1000) {
            throw new UsageProblem("--busiest must be 0 to 1000, not " + busiest);
        }
        chart.checkWritable();
        WiringSource source = arguments.source(terminal);
        Traffic traffic = arguments.traffic(source);
        arguments.warmUp(traffic, stop);
        FabricLoads loads = new FabricLoads(source, traffic.fabric());
        List<Integer> marked = marked(source.topology(), loads);
        arguments.run(traffic, arguments.faults(source), terminal, stop);
        List<FabricLoads.Link> links = loads.links(traffic.fabric());
        List<Flow> flows = FabricLoads.byLoad(links);
        List<String> lines = lines(source, traffic, flows);
        List<String> cycle = loads.names(traffic.fabric().deadlock());
        chart.write(() -> FabricPicture.draw(arguments.name(), source.topology(), links, lines, marked));
        figures.put("endnodes", source.wiring().lids())
                .put("switches", switches(source.topology()))
                .put("links", links.size())
                .put("routes", source.routes())
                .put("accepted", traffic.accepted())
                .put("latencyMeanNs", ns(traffic.latencies().mean()))
                .put(
                        "meanLoad",
                        flows.stream().mapToDouble(Flow::load).average().orElse(0))
                .putObjects(
                        "busiest",
                        flows.stream()
                                .limit(busiest)
                                .map(flow -> object(source, flow))
                                .toList())
                .putStrings(
                        "path",
                        marked.stream()
                                .map(n -> source.topology().node(n).name())
                                .toList())
                .putStrings("deadlock", cycle);
        if (!json) {
            lines.forEach(terminal::tell);
            LoadText.distribution(flows).forEach(terminal::tell);
            LoadText.busiest(source.topology(), flows, busiest).forEach(terminal::tell);
            if (!marked.isEmpty()) {
                terminal.tell("Path: "
                        + String.join(
                                " > ",
                                marked.stream()
                                        .map(n -> source.topology().node(n).name())
                                        .toList()));
            }
            if (!cycle.isEmpty()) {
                terminal.tell("DEADLOCK: " + String.join(" waits for ", cycle) + " waits for the first.");
            }
            chart.file().ifPresent(file -> terminal.tell("The picture is in " + file + "."));
        }
        return cycle.isEmpty();
    }

    private static JsonObject object(WiringSource source, Flow flow) {
        return new JsonObject()
                .put("from", source.topology().node(flow.from()).name())
                .put("to", source.topology().node(flow.to()).name())
                .put("load", flow.load())
                .put("waitingForCredits", flow.stalled());
    }

    private static int switches(Topology topology) {
        return (int) topology.nodes().stream().filter(Node::isSwitch).count();
    }

    private List<String> lines(WiringSource source, Traffic traffic, List<Flow> flows) {
        return List.of(
                arguments.name(),
                String.format(
                        Locale.ROOT,
                        "%d endnodes, %d switches, %d links; %s routes%s",
                        source.wiring().lids(),
                        switches(source.topology()),
                        flows.size() / 2,
                        source.routes(),
                        arguments.adaptive ? ", adaptive" : ""),
                String.format(
                        Locale.ROOT,
                        "%s traffic: %.2f of each endnode's link offered, %.2f accepted; mean latency %s",
                        arguments.pattern,
                        traffic.offered(),
                        traffic.accepted(),
                        traffic.latencies().count() == 0
                                ? "unknown"
                                : String.format(
                                        Locale.ROOT,
                                        "%.2f µs",
                                        ns(traffic.latencies().mean()) / 1000)),
                String.format(
                        Locale.ROOT,
                        "mean load of a link %.0f %%, busiest link %.0f %%",
                        100 * flows.stream().mapToDouble(Flow::load).average().orElse(0),
                        100 * (flows.isEmpty() ? 0 : flows.getFirst().load())));
    }

    private List<Integer> marked(Topology topology, FabricLoads loads) throws UsageProblem {
        if (path.isEmpty()) {
            return List.of();
        }
        int to = path.get().indexOf(" to ");
        if (to < 0) {
            throw new UsageProblem("--path must name two nodes, such as 'h0 to h5', not '" + path.get() + "'");
        }
        return loads.path(
                endnode(topology, path.get().substring(0, to).strip()),
                endnode(topology, path.get().substring(to + 4).strip()));
    }

    private static int endnode(Topology topology, String name) throws UsageProblem {
        return topology.find(name)
                .or(() -> topology.nodes().stream()
                        .filter(node -> node.unit().equals(name))
                        .findFirst())
                .filter(node -> !node.isSwitch())
                .orElseThrow(() -> new UsageProblem("There is no endnode '" + name + "' in the topology"))
                .index();
    }

    private static double ns(double ticks) {
        return ticks * LinkTiming.PICOSECONDS_PER_TICK / 1000;
    }
}
