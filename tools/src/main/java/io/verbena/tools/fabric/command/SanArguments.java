package io.verbena.tools.fabric.command;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.NodeNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The arguments of commands that run programs on the endnodes of a simulated fabric. */
final class SanArguments {

    /** A regular sweep every two milliseconds, requests are repeated after 50 us. */
    private static final SubnetManager.Options MANAGER = SubnetManager.Options.DEFAULT.withTimes(2_000_000, 50_000);

    @Mixin
    private TopologyArgument topology = new TopologyArgument();

    @Mixin
    private FaultArguments faults = new FaultArguments();

    @Mixin
    private LaneArguments tables = new LaneArguments();

    @Option(
            names = "--manager",
            paramLabel = "ENGINE",
            description =
                    "Let Verbena's subnet manager run in the network: minhop, up_down or fat_tree. When a link or a"
                            + " switch fails or returns, it changes the routes while the program runs.")
    private Optional<Routing> manager = Optional.empty();

    @Option(
            names = "--lmc",
            paramLabel = "N",
            description = "With --manager: each port has 2^N LIDs and paths. Default: 0.")
    private int lmc;

    @Option(names = "--lanes", paramLabel = "N", description = "Virtual lanes, 1 to 15. Default: what the routes need.")
    private int lanes;

    @Option(names = "--errors", paramLabel = "RATE", description = "Probability that a flit is damaged. Default: 0.")
    private double errors;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of errors and delays. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--adapter",
            paramLabel = "'KIND NODE'",
            description =
                    "The adapters of a node, a host or an enclosure are of a kind: io (32 queue pairs, no incoming"
                            + " RDMA) or low-end (8 queue pairs, no incoming RDMA, network and transport layers in"
                            + " software). May be repeated.")
    private List<String> adapters = new ArrayList<>();

    /** The network that the arguments describe. */
    San open(Terminal terminal) throws Failure, UsageProblem {
        San san = build(terminal);
        try {
            for (String adapter : adapters) {
                String[] words = adapter.strip().split("\\s+", 2);
                AdapterKind kind = AdapterKind.named(words[0])
                        .orElseThrow(() -> new UsageProblem("--adapter '" + adapter
                                + "' begins with no kind of adapter; use host, io or low-end, and the name of a node"));
                UsageProblem.check(words.length == 2, "--adapter '" + adapter + "' names no node");
                names(san, terminal).endnodes(words[1]).forEach(endnode -> san.adapter(endnode, kind));
            }
            return san;
        } catch (IllegalArgumentException e) {
            san.close();
            throw new UsageProblem("--adapter: " + e.getMessage());
        }
    }

    private San build(Terminal terminal) throws Failure, UsageProblem {
        UsageProblem.check(lmc >= 0 && lmc <= 7, "--lmc must be 0 to 7, not " + lmc);
        UsageProblem.check(lmc == 0 || manager.isPresent(), "--lmc needs a subnet manager: name one with --manager");
        try {
            return topology.network(
                    terminal,
                    manager.map(engine -> MANAGER.with(engine).withLmc(lmc)),
                    lanes,
                    link -> tables.of(link.withErrors(errors).withSeed(seed)));
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    /** The faults, for its network. */
    FaultSchedule schedule(San san, Terminal terminal) throws Failure, UsageProblem {
        return faults.schedule(topology.topology(terminal), san.fabric().wiring());
    }

    /** The topology as it was named. */
    String name() {
        return topology.name();
    }

    /** The names of its nodes and links. */
    FabricNames fabricNames(San san, Terminal terminal) throws Failure, UsageProblem {
        return new FabricNames(topology.topology(terminal), san.fabric().wiring());
    }

    /** The names of its nodes. */
    NodeNames names(San san, Terminal terminal) throws Failure, UsageProblem {
        return new NodeNames(topology.topology(terminal), san.fabric().wiring());
    }

    /** How many endnodes take part by default: those before the first router, which has no RNIC, up to a number. */
    static int taking(San san, int most) {
        return (int) IntStream.range(0, san.endnodes())
                .takeWhile(each -> !san.isRouter(each))
                .limit(most)
                .count();
    }
}
