package io.verbena.tools.fabric.command;

import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.CreditLoops;
import io.verbena.fabric.routing.RouteDump;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.OwnManager;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric routes}: brings a fabric up with Verbena's own subnet manager and judges its routes. */
@Command(
        name = "routes",
        customSynopsis = "verbena fabric routes [OPTIONS] TOPOLOGY",
        description = {
            "Bring a simulated fabric up with Verbena's own subnet manager, which discovers it by directed routes, assigns LIDs"
                    + " and writes forwarding tables, and search the routes for credit loops.",
            "",
            "Routing engines:",
            "  minhop      shortest paths, spread evenly; credit loops are possible where the topology has cycles",
            "  up_down     never up again after down from the most central switch; no credit loops",
            "  fat_tree    up to the common ancestor that the destination chooses; up_down if the fabric is no fat tree",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric routes torus:5x5 --routing minhop     finds a credit loop",
            "  verbena fabric routes fat-tree:8 --routing fat_tree",
            "  verbena fabric routes subnet.txt --dump /tmp/routes",
            "  ibdmchk -s /tmp/routes/subnet.lst -f /tmp/routes/routes.fdbs -m /tmp/routes/routes.mcfdbs"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all paths arrive and there is no credit loop",
            "1:there is one, or a path does not arrive",
            "2:wrong arguments"
        })
public final class FabricRoutesCommand extends FiguresCommand {

    @Mixin
    private TopologyArgument topology = new TopologyArgument();

    @Option(names = "--routing", paramLabel = "ENGINE", description = "minhop, up_down or fat_tree. Default: up_down.")
    private Routing routing = Routing.UP_DOWN;

    @Option(
            names = "--lmc",
            paramLabel = "N",
            description = "Give each adapter 2^N LIDs, and as many paths. Default: 0.")
    private int lmc;

    @Option(
            names = "--dump",
            paramLabel = "DIR",
            description = "Write subnet.lst, routes.fdbs and routes.mcfdbs into this directory, for ibdmchk.")
    private Optional<Path> dump = Optional.empty();

    public FabricRoutesCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (lmc < 0 || lmc > 7) {
            throw new UsageProblem("--lmc must be 0 to 7, not " + lmc);
        }
        Topology shape = topology.topology(terminal);
        ManagedFabric fabric = new ManagedFabric(shape);
        SubnetManager manager = OwnManager.bringUp(fabric, routing, lmc);
        CreditLoops.Verdict verdict = CreditLoops.search(shape, fabric);
        boolean ok = !verdict.loop() && verdict.unreachable().isEmpty();
        figures.put("adapters", shape.count(NodeKind.ADAPTER))
                .put("switches", shape.count(NodeKind.SWITCH))
                .put("nodesFound", manager.subnet().nodes().size())
                .put("routing", manager.routing().name())
                .put("datagrams", manager.sent())
                .put("paths", verdict.paths())
                .put("loop", verdict.loop())
                .put("verdict", verdict.sentence(shape))
                .putStrings("unreachable", verdict.unreachable());
        if (dump.isPresent()) {
            write(dump.get(), shape, fabric);
        }
        if (!json) {
            terminal.tell("The subnet is up: " + manager.subnet() + "; " + manager.routing() + " routes, "
                    + Figures.count(manager.sent()) + " management datagrams.");
            if (manager.routing() != routing) {
                terminal.tell("The engine " + routing + " cannot route this fabric.");
            }
            terminal.tell(verdict.sentence(shape) + ".");
            verdict.unreachable().forEach(path -> terminal.tell("Not reached: " + path + "."));
        }
        return ok;
    }

    private static void write(Path directory, Topology shape, ManagedFabric fabric) throws Failure {
        int top = 0;
        for (Node node : shape.nodes()) {
            for (int port = node.isSwitch() ? 0 : 1; port <= (node.isSwitch() ? 0 : node.ports()); port++) {
                top = Math.max(top, fabric.lid(node.index(), port) + (1 << fabric.lmc(node.index(), port)) - 1);
            }
        }
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("subnet.lst"), RouteDump.subnet(shape, fabric));
            Files.writeString(directory.resolve("routes.fdbs"), RouteDump.tables(shape, fabric, top));
            Files.writeString(directory.resolve("routes.mcfdbs"), "");
        } catch (IOException e) {
            throw new Failure("Cannot write into '" + directory + "': " + Problems.sentence(e), e);
        }
    }
}
