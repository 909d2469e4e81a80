package io.verbena.tools;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.host.system.Pinning;
import io.verbena.text.AddressText;
import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.NotReached;
import io.verbena.tools.base.ParentProcess;
import io.verbena.tools.base.ServerProcess;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Carrier;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.ConnectionArguments;
import io.verbena.tools.command.Cores;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.InTurn;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.osu.OsuRun;
import io.verbena.tools.perf.ChangeFigures;
import io.verbena.tools.perf.PathTable;
import io.verbena.tools.perf.PerfClient;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfPicture;
import io.verbena.tools.perf.PerfResult;
import io.verbena.tools.perf.PerfRun;
import io.verbena.tools.perf.PerfServer;
import io.verbena.tools.perf.PerfSettings;
import io.verbena.tools.perf.Timeline;
import io.verbena.tools.perf.WarmUp;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena perf}: measures latency and bandwidth. */
@Command(
        name = "perf",
        customSynopsis = {"verbena perf [OPTIONS] OP [HOST[:PORT]]", "  or:  verbena perf --server [OPTIONS]"},
        description = {
            "Measure the latency and the bandwidth of each operation, like perftest.",
            "",
            "Without a HOST, perf starts its own server process and measures over the loopback interface. OP is write_lat, read_lat, send_lat, fetch_add_lat, write_bw, read_bw or send_bw, several of these separated by"
                    + " commas, or all. Latency is measured with one message at a time: write_lat and send_lat report half of a"
                    + " round trip, the others a whole one. Bandwidth is measured with many outstanding messages, until the last"
                    + " byte is in the peer's memory.",
            "",
            "osu_latency, osu_bw, osu_bibw, osu_put_latency, osu_get_latency, osu_barrier, osu_bcast, osu_allreduce and"
                    + " osu_alltoall measure --ranks processes that send messages, with the columns of the OSU benchmarks for"
                    + " MPI, and the bus bandwidth of nccl-tests. Of the options below, --size, --iterations, --warm-up, --provider,"
                    + " --direct and --json apply.",
            "",
            "An unmeasured warm-up precedes each measurement. It ends when the compiler of Java is quiet and the figures are"
                    + " steady; what was achieved in the first second of an operation is shown below its table.",
            "",
            "Without --inline or --engine-thread, latency is measured with --inline and bandwidth with --engine-thread. A"
                    + " server that you start yourself uses its own options.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena perf write_lat                          8 bytes, half a round trip",
            "  verbena perf write_bw,read_bw --size 4KiB,64KiB,1MiB",
            "  verbena perf all --all-sizes --svg perf.svg     all operations, and a chart",
            "  verbena perf send_bw --size 64 --batch 64 --qps 4 --engines 2",
            "  verbena perf read_lat --iterations 1000 --pin 0,1 --json | jq '.results[0].latencyNs.p99'",
            "  verbena perf osu_allreduce --ranks 4",
            "  verbena perf write_bw --provider roce --paths 8 --cut 3@2s --seconds 5 --svg cut.svg",
            "  verbena perf write_bw --survive localhost --cut 2s --seconds 5 --svg cut.svg",
            "  verbena perf --server --listen 0.0.0.0:7177     on one machine, then on another:",
            "  verbena perf write_bw 192.0.2.7 --crc"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all measurements are complete", "1:a measurement failed", "2:wrong arguments"})
final class PerfCommand extends FiguresCommand {

    private static final int PORT = 7177;
    private static final int BAR_PARTS = 1000;
    private static final String ALL = "all";
    private static final String TCP = "iwarp"; // which uses TCP only
    private static final Duration PROCESS_START = Duration.ofSeconds(20);

    private final StopSignal stop;

    @Parameters(
            arity = "0..2",
            paramLabel = "OP [HOST[:PORT]]",
            hideParamSyntax = true,
            description = "The operations to measure, and the server, by default at port 7177.")
    private List<String> words = List.of();

    @Option(
            names = {"-s", "--server"},
            description = "Run as the server, for one client at a time, until Ctrl-C.")
    private boolean server;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description =
                    "Server: local address to listen at; port 0 chooses a free port. Default: port 7177 of every address.")
    private Optional<String> listen = Optional.empty();

    @Mixin
    private final PerfLoadArguments load = new PerfLoadArguments();

    @Mixin
    private final PerfPathArguments paths = new PerfPathArguments();

    @Option(
            names = "--pin",
            paramLabel = "CORES",
            split = ",",
            converter = Cores.Converter.class,
            description =
                    "Bind this process to a core such as 0, or to cores such as 0-1. A second value after a comma binds"
                            + " the server process that perf starts. Linux only.")
    private List<Cores> cores = List.of();

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @Option(names = "--peer-process", hidden = true, description = "Started by another 'verbena perf'.")
    private boolean peerProcess;

    @Mixin
    private final OsuRun osu = new OsuRun();

    @Mixin
    private final WebArguments web = new WebArguments();

    private Optional<InTurn> servers = Optional.empty();

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    private final List<JsonObject> entries = new ArrayList<>();
    private final List<PerfPicture.Measured> charted = new ArrayList<>();
    private TransportType used = TransportType.IWARP;
    private Optional<Timeline> timeline = Optional.empty();

    PerfCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnicArguments.options();
        if (osu.chosen(words)) {
            osu.run(words, load.osu(), options, new OsuRun.Output(terminal, json, figures), stop);
            return true;
        }
        checkArguments(options);
        try (Cores.Pin pinned = pin()) {
            return server ? serve(options, figures) : measure(options, figures);
        }
    }

    private Cores.Pin pin() {
        Optional<String> unsupported = Pinning.unsupported();
        if (cores.isEmpty() || unsupported.isPresent()) {
            if (!cores.isEmpty()) {
                note(unsupported.orElseThrow() + " --pin has no effect.");
            }
            return () -> {};
        }
        return cores.getFirst().pin();
    }

    // Server.

    private boolean serve(RnicOptions options, JsonObject figures) throws Failure, UsageProblem {
        Optional<byte[]> token = peerProcess ? Optional.of(ParentProcess.attach(stop)) : Optional.empty();
        InetSocketAddress where = listen.isEmpty()
                ? new InetSocketAddress(PORT)
                : HostPort.listening("--listen", listen.get(), PORT).resolve();
        figures.put("role", "server");
        try (Rnic rnic = peerProcess ? load.open(options) : Rnic.open(RnicArguments.at(options, where));
                Observation _ = web.observe("perf --server", List.of(rnic), this::note);
                Listener listener = rnic.listen(where)) {
            announce(listener);
            ConnectionOptions accepted = paths.accepting(connection.options(), options, connection.timeout());
            PerfServer perf = new PerfServer(rnic, options, accepted, token, this::note, stop);
            perf.serve(listener);
            note("Stopped after " + perf.runs() + " run(s) of " + perf.clients() + " client(s).");
            figures.put("clients", perf.clients()).put("runs", perf.runs());
            return true;
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another address or port with --listen.", e);
        }
    }

    private void announce(Listener listener) {
        if (peerProcess) {
            terminal.out().println(AddressText.ofIp(listener.localAddress()));
            terminal.out().flush();
        }
        note("Listening at " + AddressText.ofIp(listener.localAddress()) + ".");
    }

    // Client.

    private boolean measure(RnicOptions options, JsonObject figures) throws Exception {
        describe(options, figures);
        try {
            List<PerfOp> ops = PerfOp.named(words.getFirst());
            measureAll(ops, options);
            if (alsoOverTcp(options)) {
                measureAll(ops, options.withProvider(TCP));
            }
            chart.write(() -> timeline.map(it -> it.svg(circumstances(options)))
                    .orElseGet(() -> PerfPicture.svg(charted, circumstances(options))));
            return true;
        } finally {
            figures.putObjects("results", entries);
        }
    }

    /** A measurement of everything on this machine shows both ways that the default provider has. */
    private boolean alsoOverTcp(RnicOptions options) {
        return words.equals(List.of(ALL))
                && options.provider().isEmpty()
                && options.captureFile().isEmpty()
                && used == TransportType.SHARED_MEMORY;
    }

    private void measureAll(List<PerfOp> ops, RnicOptions options) throws Exception {
        if (rnicArguments.progressChosen()) {
            measure(ops, options);
        } else {
            measure(ops.stream().filter(PerfOp::latency).toList(), options.withProgress(Progress.INLINE));
            measure(ops.stream().filter(op -> !op.latency()).toList(), options);
        }
    }

    /** The addresses of the server that the user named, of which the one that was reached is used again. */
    private InTurn servers() throws UsageProblem, Failure {
        if (servers.isEmpty()) {
            servers = Optional.of(new InTurn(HostPort.parse("HOST", words.get(1), PORT), this::note));
        }
        return servers.get();
    }

    /** Measures on one RNIC against one server. */
    private void measure(List<PerfOp> ops, RnicOptions options) throws Exception {
        if (ops.isEmpty()) {
            return;
        }
        byte[] token = new byte[PerfSettings.TOKEN_BYTES];
        if (words.size() > 1) {
            servers().reach(where -> {
                measure(ops, RnicArguments.towards(options, where), where, token);
                return where;
            });
            return;
        }
        new SecureRandom().nextBytes(token);
        RnicOptions warmed = load.beginWarmUp(options);
        try (ServerProcess process =
                ServerProcess.start(Verbena.class, peerArguments(options), token, terminal.debug())) {
            InetSocketAddress where = process.awaitAddress(PROCESS_START, stop);
            try {
                measure(ops, load.endWarmUp(warmed), where, token);
            } catch (ConnectionLost | ConnectionException e) {
                throw new Failure(process.death().orElse(Problems.sentence(e)), e);
            }
        }
    }

    private void measure(List<PerfOp> ops, RnicOptions options, InetSocketAddress where, byte[] token)
            throws Exception {
        PerfSettings settings = new PerfSettings(
                token,
                new PerfSettings.Load(
                        load.largest(ops),
                        ops.stream().allMatch(PerfOp::latency) ? 1 : load.queuePairs(),
                        load.depth()),
                options.progress(),
                connection.timeout(),
                paths.towards(where, connection.options()));
        try (Rnic rnic = paths.open(options);
                PerfClient client = new PerfClient(rnic, where, settings, stop);
                Observation _ = web.observe("perf", List.of(rnic), this::note)) {
            say("");
            used = client.transport();
            paths.checkAgreed(client);
            say(mode(options) + "; server " + AddressText.ofIp(where) + ": " + client.serverMode() + ". "
                    + Carrier.sentence(used) + ".");
            for (PerfOp op : ops) {
                measure(client, op);
            }
        } catch (ConnectionException e) {
            if (e.kind() == ConnectionException.Kind.REFUSED && words.size() > 1) {
                throw new NotReached(Problems.sentence(e) + " 'verbena perf --server' starts a server there.", e);
            }
            throw e;
        }
    }

    private void measure(PerfClient client, PerfOp op) throws Failure, UsageProblem {
        say("");
        say(op.word() + ": " + op.explanation() + ".");
        int width = terminal.columns().getAsInt();
        PerfResult.table(op).head(width).forEach(this::say);
        Optional<WarmUp> first = Optional.empty();
        for (int size : load.sizes(op)) {
            WarmUp warmUp = load.warmUp(first.isEmpty());
            first = first.or(() -> Optional.of(warmUp));
            String label = op.word() + " " + Figures.bytes(size);
            ProgressBar bar = terminal.bar(stop, quiet.quiet(), label, BAR_PARTS);
            try {
                bar.update(0, System.nanoTime());
                TransportChanges before = client.changes();
                PerfResult result = client.run(
                        load.run(op, size),
                        warmUp,
                        bar,
                        () -> timeline =
                                paths.timeline(op, client::migrate, chart.file().isPresent()));
                charted.add(new PerfPicture.Measured(Carrier.word(used), result));
                JsonObject entry =
                        result.json().put("transport", Carrier.word(used)).put("warmUpNs", warmUp.tookNs());
                warmUp.firstSecond().ifPresent(it -> entry.put("firstSecond", it.json()));
                timeline.ifPresent(it -> entry.put("timeline", it.json()));
                PathTable.put(entry, client.paths());
                ChangeFigures changes = ChangeFigures.between(before, client.changes());
                paths.put(entry, changes);
                entries.add(entry);
                bar.clear();
                say(PerfResult.table(op).row(width, result.cells()));
                timeline.ifPresent(it -> it.sentences().forEach(this::say));
                PathTable.lines(client.paths(), width).forEach(this::say);
                changes.sentence().ifPresent(this::say);
            } finally {
                bar.clear();
            }
        }
        first.flatMap(WarmUp::summary).ifPresent(this::say);
    }

    private List<String> peerArguments(RnicOptions options) {
        List<String> arguments =
                new ArrayList<>(List.of("perf", "--server", "--peer-process", "--listen", "127.0.0.1:0"));
        if (cores.size() > 1) {
            arguments.addAll(List.of("--pin", cores.get(1).text()));
        }
        arguments.addAll(connection.forPeerProcess());
        arguments.addAll(paths.forPeerProcess());
        arguments.addAll(load.forPeerProcess());
        arguments.addAll(rnicArguments.forPeerProcess());
        if (options.progress() == Progress.INLINE && !rnicArguments.progressChosen()) {
            arguments.add("--inline");
        }
        return arguments;
    }

    // Arguments and words.

    private void checkArguments(RnicOptions options) throws UsageProblem, Failure {
        check(server || listen.isEmpty(), "--listen goes with --server");
        if (server) {
            check(words.isEmpty(), "A server takes no operation: give either --server or an operation, not both");
            check(cores.size() < 2, "A server is one process: --pin takes one core, or cores such as 0-1");
            return;
        }
        List<PerfOp> ops = PerfWords.operations(words);
        load.checkFor(ops);
        List<Integer> sizes = load.sizes(ops.getFirst());
        PerfRun run = load.run(ops.getFirst(), sizes.getFirst());
        paths.check(ops, sizes.size(), run, options, connection.options());
        check(
                cores.size() <= (words.size() > 1 ? 1 : 2),
                "--pin takes the cores of this process and, if perf starts the"
                        + " server process, the cores of that process");
        check(
                options.captureFile().isEmpty()
                        || rnicArguments.progressChosen()
                        || ops.stream().map(PerfOp::latency).distinct().count() == 1,
                "--capture records one RNIC: add --inline or --engine-thread, so that one RNIC measures all operations");
        chart.checkWritable();
    }

    private void describe(RnicOptions options, JsonObject figures) throws UsageProblem {
        figures.put("role", "client")
                .put("server", words.size() > 1 ? words.get(1) : "")
                .put("crc", options.iwarp().crc())
                .put("markers", options.iwarp().markers());
        load.describe(figures);
    }

    private String mode(RnicOptions options) throws UsageProblem {
        return (options.progress() == Progress.INLINE ? "INLINE" : "Engine thread")
                + ", CRC " + (options.iwarp().crc() ? "on" : "off")
                + ", markers " + (options.iwarp().markers() ? "on" : "off")
                + ", " + load.warmUpText();
    }

    private String circumstances(RnicOptions options) {
        String where = words.size() > 1 ? "server " + words.get(1) : "loopback, two processes";
        return PerfWords.circumstances(options, load.legend(), charted) + "; " + where;
    }

    private void say(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }

    private void note(String line) {
        if (!quiet.quiet() && !peerProcess) {
            terminal.say(line);
        }
    }
}
