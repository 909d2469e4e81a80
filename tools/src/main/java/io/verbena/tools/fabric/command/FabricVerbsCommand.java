package io.verbena.tools.fabric.command;

import io.verbena.fabric.endnode.FabricCapture;
import io.verbena.fabric.endnode.San;
import io.verbena.fabric.endnode.VerbsLoad;
import io.verbena.fabric.endnode.VerbsPattern;
import io.verbena.fabric.endnode.VerbsTraffic;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.traffic.Latencies;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Slices;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.VerbsRun;
import io.verbena.tools.fabric.live.LiveRun;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric verbs}: verbs programs on the endnodes of a simulated fabric. */
@Command(
        name = "verbs",
        customSynopsis = "verbena fabric verbs [OPTIONS] TOPOLOGY",
        description = {
            "Run a verbs program on software RNICs that are the endnodes of a simulated fabric, in virtual time. They"
                    + " connect by communication management and send RDMA Writes over reliable connections. Each message"
                    + " is compared at its destination when it completes. Two runs of a seed are equal.",
            "",
            "Packets have LRH, ICRC and VCRC and travel flit by flit, as with 'verbena fabric run'. Latency includes"
                    + " the random delays of software: an RNIC begins a turn up to 2 µs after it has work, and the program"
                    + " receives an event up to 5 µs after a completion.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric verbs fat-tree:8 --pattern ring --message 64k",
            "  verbena fabric verbs leaf-spine:4x2 --pattern incast --levels 4 --lanes 4",
            "  verbena fabric verbs torus:4x4 --pattern all-to-all --errors 1e-4",
            "  verbena fabric verbs leaf-spine:2x2,ports=2 --fault '20 down spine-1'     migrates",
            "  verbena fabric verbs fat-tree:4 --manager fat_tree --fault '20 down core-1' --fault '90 up core-1'",
            "  verbena fabric verbs ring:4 --adapter 'low-end h3'     software performs Writes to h3",
            "  verbena fabric verbs fat-tree:4 --manager up_down --web     in a browser, where switches fail by click",
            "  verbena fabric verbs ring:4 --messages 2 --capture /tmp/ring.pcapng     for Wireshark"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all messages completed and were correct",
            "1:messages did not complete, or a file cannot be read or written",
            "2:wrong arguments",
            "130:ended by Ctrl-C"
        })
public final class FabricVerbsCommand extends FiguresCommand {

    /** Ten microseconds of virtual time in a second. */
    private static final double SPEED = 10_000;

    private static final long STEP_NS = 10_000;
    private static final long NS_PER_MICROSECOND = 1_000;
    private static final long MOST_MESSAGE_BYTES = 1L << 24;

    private final StopSignal stop;

    @Mixin
    private SanArguments network = new SanArguments();

    @Option(
            names = "--pattern",
            paramLabel = "PATTERN",
            description = "ring (each endnode writes to the next one), all-to-all or incast (all write to the first)."
                    + " Default: ring.")
    private VerbsPattern pattern = VerbsPattern.RING;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of endnodes with a program, 2 or more. Default: all, at most 64.")
    private int nodes;

    @Option(
            names = "--message",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Length of a message, 8 to 16 MiB. Default: 16k.")
    private long messageBytes = 16 << 10;

    @Option(names = "--messages", paramLabel = "N", description = "Messages of each connection. Default: 32.")
    private int messages = 32;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "Most messages of a connection that have not completed. Default: 4.")
    private int depth = 4;

    @Option(
            names = "--levels",
            paramLabel = "N",
            description = "Connections use this many service levels in turn, and so several lanes. Default: 1.")
    private int levels = 1;

    @Option(
            names = "--time",
            paramLabel = "MICROSECONDS",
            description = "Most virtual time for the messages. Default: 1000000.")
    private long microseconds = 1_000_000;

    @Option(
            names = "--capture",
            paramLabel = "FILE",
            description = "Write all packets, from LRH to VCRC, to a new pcapng file.")
    private Optional<Path> capture = Optional.empty();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @Mixin
    private final NetworkWebArguments web = new NetworkWebArguments();

    public FabricVerbsCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        UsageProblem.check(
                microseconds >= 1 && microseconds <= 1_000_000_000,
                "--time must be 1 to 1000000000 microseconds, not " + microseconds);
        UsageProblem.check(
                messageBytes <= MOST_MESSAGE_BYTES,
                "--message must be at most 16 MiB, not " + Figures.bytes(messageBytes));
        UsageProblem.check(!web.wanted() || capture.isEmpty(), "--capture and --web cannot be combined");
        San san;
        VerbsLoad load;
        try {
            load = new VerbsLoad((int) messageBytes, messages, depth, levels);
            if (web.wanted()) {
                return show(load, figures);
            }
            san = network.open(terminal);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        try (san) {
            if (capture.isEmpty()) {
                return run(san, load, figures);
            }
            try (FabricCapture file = open(capture.get())) {
                san.tap(file);
                return run(san, load, figures);
            }
        }
    }

    private static FabricCapture open(Path file) throws Failure {
        try {
            return new FabricCapture(
                    Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        } catch (IOException e) {
            throw new Failure("Cannot write the capture '" + file + "': " + Problems.sentence(e), e);
        }
    }

    /** Runs at a pace that people can follow, until Ctrl-C. */
    private boolean show(VerbsLoad load, JsonObject figures) throws Exception {
        try (LiveRun live = live(load);
                WebServer _ = web.show(live, terminal::say)) {
            stop.onServing();
            live.serve(stop);
            VerbsRun run = (VerbsRun) live.run();
            report(run.san(), run.traffic(), figures);
            return run.traffic().failed() == 0;
        }
    }

    private LiveRun live(VerbsLoad load) throws Exception {
        FabricNames names;
        try (San san = network.open(terminal)) {
            names = network.fabricNames(san, terminal);
            network.schedule(san, terminal);
        }
        try {
            return new LiveRun(network.name(), names, () -> begin(load), SPEED, System::nanoTime);
        } catch (IllegalStateException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private VerbsRun begin(VerbsLoad load) {
        try {
            San san = network.open(terminal);
            VerbsTraffic traffic =
                    new VerbsTraffic(san, nodes == 0 ? SanArguments.taking(san, 64) : nodes, pattern, load);
            traffic.connect();
            return new VerbsRun(san, traffic, network.schedule(san, terminal), network.fabricNames(san, terminal));
        } catch (UsageProblem | Failure | IOException e) {
            throw new IllegalStateException("The program cannot begin.", e);
        }
    }

    private boolean run(San san, VerbsLoad load, JsonObject figures) throws Exception {
        VerbsTraffic traffic;
        try {
            traffic = new VerbsTraffic(san, nodes == 0 ? SanArguments.taking(san, 64) : nodes, pattern, load);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        FaultSchedule faults = network.schedule(san, terminal);
        traffic.connect();
        faults.start(san);
        traffic.start();
        ProgressBar bar = terminal.bar(stop, quiet.quiet(), "Messages", traffic.messages());
        boolean finished = false;
        try {
            Slices slices = new Slices(stop, STEP_NS);
            long most = microseconds * NS_PER_MICROSECOND;
            for (long ns = 0; !finished && ns < most; ) {
                stop.check();
                long step = Math.min(slices.size(), most - ns);
                long startNs = System.nanoTime();
                finished = traffic.run(step);
                slices.took(System.nanoTime() - startNs);
                ns += step;
                bar.update(traffic.completed(), System.nanoTime());
            }
        } finally {
            bar.clear();
        }
        report(san, traffic, figures);
        return finished && traffic.failed() == 0;
    }

    private void report(San san, VerbsTraffic traffic, JsonObject figures) {
        Latencies latencies = traffic.latencies();
        long resent = 0;
        for (int port = 0; port < san.fabric().wiring().ports(); port++) {
            resent += san.fabric().counters().flitsResent(port);
        }
        JsonObject byKind = new JsonObject();
        traffic.latenciesByKind().forEach((kind, those) -> byKind.put(kind.toString(), those.mean()));
        figures.put("endnodes", san.endnodes())
                .put("connections", traffic.connections())
                .put("messages", traffic.messages())
                .put("completed", traffic.completed())
                .put("failedConnections", traffic.failed())
                .put("durationNs", traffic.durationNs())
                .put("goodputGBps", traffic.goodput())
                .put("latencyMeanNs", latencies.mean())
                .put("latencyMedianNs", latencies.quantile(.5))
                .put("latency99Ns", latencies.quantile(.99))
                .put("latencyMostNs", latencies.most())
                .put("latencyMeanNsByAdapter", byKind)
                .put("packets", san.packetsSent())
                .put("packetsLost", san.packetsLost())
                .put("flitsResent", resent)
                .put("creditsLost", san.fabric().creditLevels().lost())
                .put("creditsRestored", san.fabric().creditLevels().restored())
                .put("sweeps", san.manager().map(SubnetManager::sweeps).orElse(0))
                .put("traceHash", Long.toHexString(san.traceHash()));
        if (json) {
            return;
        }
        terminal.tell(san.endnodes() + " endnodes, " + traffic.connections() + " reliable connections, trace hash "
                + Long.toHexString(san.traceHash()));
        terminal.tell(Figures.count(traffic.completed()) + " of " + Figures.count(traffic.messages())
                + " messages completed and were correct"
                + (traffic.failed() == 0 ? "" : "; " + Figures.count(traffic.failed()) + " connections failed"));
        terminal.tell(String.format(
                Locale.ROOT,
                "%.1f µs of virtual time, goodput %.2f GB/s of all endnodes together",
                traffic.durationNs() / 1e3,
                traffic.goodput()));
        terminal.tell(String.format(
                Locale.ROOT,
                "latency mean %.1f µs, median %.1f, 99 %% below %.1f, longest %.1f",
                latencies.mean() / 1e3,
                latencies.quantile(.5) / 1e3,
                latencies.quantile(.99) / 1e3,
                latencies.most() / 1e3));
        if (traffic.latenciesByKind().size() > 1) {
            terminal.tell("latency by kind of adapter: "
                    + traffic.latenciesByKind().entrySet().stream()
                            .map(kind -> String.format(
                                    Locale.ROOT,
                                    "%s mean %.1f µs",
                                    kind.getKey(),
                                    kind.getValue().mean() / 1e3))
                            .collect(Collectors.joining(", ")));
        }
        terminal.tell(Figures.count(san.packetsSent()) + " packets, " + Figures.count(san.packetsLost()) + " lost; "
                + Figures.count(resent) + " flits sent again");
    }
}
