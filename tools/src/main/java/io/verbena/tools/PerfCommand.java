package io.verbena.tools;

import static java.util.stream.Collectors.joining;

import io.verbena.files.Addresses;
import io.verbena.host.Pinning;
import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.ParentProcess;
import io.verbena.tools.base.ServerProcess;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.perf.PerfClient;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfPicture;
import io.verbena.tools.perf.PerfResult;
import io.verbena.tools.perf.PerfRun;
import io.verbena.tools.perf.PerfServer;
import io.verbena.tools.perf.PerfSettings;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena perf}: how fast it is. */
@Command(
        name = "perf",
        customSynopsis = {"verbena perf [OPTIONS] OP [HOST[:PORT]]", "  or:  verbena perf --server [OPTIONS]"},
        description = {
            "Measure latency and bandwidth of each operation, in the manner of perftest. Without a HOST it starts a server"
                    + " process of its own and measures over the loopback interface.",
            "",
            "OP is write_lat, read_lat, send_lat, fetch_add_lat, write_bw, read_bw, send_bw, several of these with commas, or"
                    + " all. Latency: one message at a time; write_lat and send_lat tell half of a round trip, the others all of"
                    + " it. Bandwidth: many at a time, until the last byte is in the peer's memory. Everything is done for a"
                    + " while before it is measured.",
            "",
            "Without --inline or --engine-thread, latency is measured with --inline and bandwidth with --engine-thread; a"
                    + " server that you start yourself does as its own options say.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena perf write_lat                          8 bytes, half a round trip",
            "  verbena perf write_bw,read_bw --size 4KiB,64KiB,1MiB",
            "  verbena perf all --all-sizes --svg perf.svg     everything, and a picture of it",
            "  verbena perf send_bw --size 64 --batch 64 --qps 4 --engines 2",
            "  verbena perf read_lat --iterations 1000 --pin 0,1 --json | jq '.results[0].latencyNs.p99'",
            "  verbena perf --server --listen 0.0.0.0:7177     on one machine, and on another:",
            "  verbena perf write_bw 192.0.2.7 --crc"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:everything was measured", "1:something failed", "2:wrong arguments"})
final class PerfCommand extends FiguresCommand {

    private static final int PORT = 7177;
    private static final int LATENCY_BYTES = 8;
    private static final int BANDWIDTH_BYTES = 1 << 16;
    private static final int LARGEST_OF_ALL = 8 << 20;
    private static final int BAR_PARTS = 1000;
    private static final Duration PROCESS_START = Duration.ofSeconds(20);

    private final StopSignal stop;

    @Parameters(
            arity = "0..2",
            paramLabel = "OP [HOST[:PORT]]",
            hideParamSyntax = true,
            description = "What to measure, and the server to measure against, port 7177 unless said.")
    private List<String> words = List.of();

    @Option(
            names = {"-s", "--server"},
            description = "Be the server, for one client after the other, until Ctrl-C.")
    private boolean server;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Server: where to listen; port 0 takes a free one. Default: port 7177 of all addresses.")
    private Optional<String> listen = Optional.empty();

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            split = ",",
            converter = ByteSize.class,
            description =
                    "Bytes of a message: one size or a list such as 64,4KiB,1MiB. Default: 8 for latency, 64KiB for"
                            + " bandwidth. Atomics always have 8.")
    private List<Long> sizes = List.of();

    @Option(names = "--all-sizes", description = "Powers of two from 2 bytes to 8 MiB.")
    private boolean allSizes;

    @Option(
            names = {"-C", "--iterations"},
            paramLabel = "N",
            description = "Messages of each measurement. Without it: as many as fit into --seconds.")
    private Optional<Long> iterations = Optional.empty();

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description =
                    "Time of each measurement; with --iterations the limit. Default: 1, or with --iterations 3600.")
    private Optional<Double> seconds = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "0.5",
            description = "Do the same for so long before each measurement. Default: ${DEFAULT-VALUE}.")
    private double warmUpSeconds = 0.5;

    @Option(
            names = "--qps",
            paramLabel = "N",
            defaultValue = "1",
            description = "Bandwidth: queue pairs, that is connections. Default: ${DEFAULT-VALUE}.")
    private int queuePairs = 1;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "128",
            description = "Bandwidth: messages outstanding on each queue pair. Default: ${DEFAULT-VALUE}.")
    private int depth = 128;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "16",
            description = "Bandwidth: messages posted with one ring of the doorbell. Default: ${DEFAULT-VALUE}.")
    private int batch = 16;

    @Option(
            names = "--pin",
            paramLabel = "CORES",
            split = ",",
            converter = Cores.Converter.class,
            description =
                    "Keep this process on a core such as 0, or on some such as 0-1. A second one after a comma is for"
                            + " the server process that it starts. Linux only.")
    private List<Cores> cores = List.of();

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw bandwidth and latency against size.")
    private Optional<Path> svgFile = Optional.empty();

    @Option(
            names = {"-q", "--quiet"},
            description = "Show no progress.")
    private boolean quiet;

    @Option(names = "--peer-process", hidden = true, description = "Started by another 'verbena perf'.")
    private boolean peerProcess;

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    private final List<PerfResult> results = new ArrayList<>();

    PerfCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnicArguments.options();
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
                : HostPort.parse("--listen", listen.get(), PORT).resolve();
        figures.put("role", "server");
        try (Rnic rnic = Rnic.open(options);
                Listener listener = rnic.listen(where)) {
            announce(listener);
            PerfServer perf = new PerfServer(rnic, options, connection.options(), token, this::note, stop);
            perf.serve(listener);
            figures.put("clients", perf.clients()).put("runs", perf.runs());
            return true;
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another address or port with --listen.", e);
        }
    }

    private void announce(Listener listener) {
        if (peerProcess) {
            terminal.out().println(((InetSocketAddress) listener.localAddress()).getPort());
            terminal.out().flush();
        }
        note("Listening at " + Addresses.text(listener.localAddress()) + ".");
    }

    // Client.

    private boolean measure(RnicOptions options, JsonObject figures) throws Exception {
        describe(options, figures);
        try {
            List<PerfOp> ops = PerfOp.named(words.getFirst());
            if (rnicArguments.progressChosen()) {
                measure(ops, options);
            } else {
                measure(ops.stream().filter(PerfOp::latency).toList(), options.withProgress(Progress.INLINE));
                measure(ops.stream().filter(op -> !op.latency()).toList(), options);
            }
            if (svgFile.isPresent()) {
                Files.writeString(svgFile.get(), PerfPicture.svg(results, circumstances(options)));
            }
            return true;
        } catch (StopSignal.Stopped e) {
            throw new Failure("Stopped before the end", e);
        } finally {
            figures.putObjects("results", results.stream().map(PerfResult::json).toList());
        }
    }

    /** With one server, on one RNIC. */
    private void measure(List<PerfOp> ops, RnicOptions options) throws Exception {
        if (ops.isEmpty()) {
            return;
        }
        byte[] token = new byte[PerfSettings.TOKEN_BYTES];
        if (words.size() > 1) {
            measure(ops, options, HostPort.parse("HOST", words.get(1), PORT).resolve(), token);
            return;
        }
        new SecureRandom().nextBytes(token);
        try (ServerProcess process =
                ServerProcess.start(Verbena.class, peerArguments(options), token, terminal.debug())) {
            int port = process.awaitPort(PROCESS_START, stop);
            try {
                measure(ops, options, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), token);
            } catch (ConnectionLost | ConnectionException e) {
                throw new Failure(process.death().orElse(Problems.sentence(e)), e);
            }
        }
    }

    private void measure(List<PerfOp> ops, RnicOptions options, InetSocketAddress where, byte[] token)
            throws Exception {
        PerfSettings settings = new PerfSettings(
                token,
                ops.stream()
                        .flatMap(op -> sizes(op).stream())
                        .max(Integer::compare)
                        .orElseThrow(),
                ops.stream().allMatch(PerfOp::latency) ? 1 : queuePairs,
                depth,
                options.progress(),
                connection.timeout(),
                connection.options());
        try (Rnic rnic = Rnic.open(options);
                PerfClient client = new PerfClient(rnic, where, settings, stop)) {
            say("");
            say(mode(options) + "; server " + Addresses.text(where) + ": " + client.serverMode() + ".");
            for (PerfOp op : ops) {
                measure(client, op);
            }
        } catch (ConnectionException e) {
            if (e.kind() == ConnectionException.Kind.REFUSED && words.size() > 1) {
                throw new Failure(
                        Problems.sentence(e) + " Is a server running there? 'verbena perf --server' starts one.", e);
            }
            throw e;
        }
    }

    private void measure(PerfClient client, PerfOp op) throws Failure, UsageProblem {
        say("");
        say(op.word() + ": " + op.explanation() + ".");
        say(PerfResult.head(op));
        long warmUpNs = warmUp().toNanos();
        for (int size : sizes(op)) {
            String label = op.word() + " " + Figures.bytes(size);
            ProgressBar bar = quiet
                    ? ProgressBar.hidden()
                    : new ProgressBar(terminal.err(), terminal.interactive(), label, BAR_PARTS);
            try {
                bar.update(0, System.nanoTime());
                PerfResult result = client.run(
                        new PerfRun(op, size, iterations.orElse(Long.MAX_VALUE), duration(), depth, batch),
                        warmUpNs,
                        bar);
                results.add(result);
                bar.clear();
                say(result.row());
            } finally {
                bar.clear();
            }
        }
    }

    private List<Integer> sizes(PerfOp op) {
        if (op == PerfOp.FETCH_ADD_LAT) {
            return List.of(Long.BYTES);
        }
        if (allSizes) {
            List<Integer> all = new ArrayList<>();
            for (int size = 2; size <= LARGEST_OF_ALL; size *= 2) {
                all.add(size);
            }
            return all;
        }
        return sizes.isEmpty()
                ? List.of(op.latency() ? LATENCY_BYTES : BANDWIDTH_BYTES)
                : sizes.stream().map(Math::toIntExact).toList();
    }

    private List<String> peerArguments(RnicOptions options) {
        List<String> arguments =
                new ArrayList<>(List.of("perf", "--server", "--peer-process", "--listen", "127.0.0.1:0"));
        if (cores.size() > 1) {
            arguments.addAll(List.of("--pin", cores.get(1).text()));
        }
        arguments.addAll(connection.forPeerProcess());
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
            check(words.isEmpty(), "A server measures nothing itself: give either --server or an operation");
            check(cores.size() < 2, "A server has one process: --pin takes one core, or cores such as 0-1");
            return;
        }
        check(!words.isEmpty(), "Say what to measure, such as write_lat or all, or be the server with --server");
        List<PerfOp> ops = PerfOp.named(words.getFirst());
        check(
                !ops.isEmpty(),
                "There is no operation '" + words.getFirst() + "'; say one of "
                        + List.of(PerfOp.values()).stream().map(PerfOp::word).collect(joining(", ")) + " or all");
        check(
                words.size() == 1 || PerfOp.named(words.get(1)).isEmpty(),
                "Several operations are written with a comma: " + String.join(",", words));
        check(sizes.isEmpty() || !allSizes, "Give either --size or --all-sizes, not both");
        for (long size : sizes) {
            check(size >= 1 && size <= PerfSettings.MOST_SIZE, "--size must be 1 byte to 256 MiB, not " + size);
        }
        check(iterations.orElse(1L) >= 1, "--iterations must be 1 or more, not " + iterations.orElse(1L));
        range("--qps", queuePairs, PerfSettings.MOST_QUEUE_PAIRS);
        range("--depth", depth, PerfSettings.MOST_DEPTH);
        range("--batch", batch, PerfSettings.MOST_DEPTH);
        check(
                cores.size() <= (words.size() > 1 ? 1 : 2),
                "--pin takes the cores of this process and, if it starts its"
                        + " own server process, those of that one");
        check(
                options.captureFile().isEmpty()
                        || rnicArguments.progressChosen()
                        || ops.stream().map(PerfOp::latency).distinct().count() == 1,
                "A capture is of one RNIC: add --inline or --engine-thread, so that all is measured with one");
        warmUp();
        duration();
        int largest = ops.stream()
                .flatMap(op -> sizes(op).stream())
                .max(Integer::compare)
                .orElseThrow();
        long memory = PerfSettings.memoryBytes(largest, queuePairs);
        check(
                memory <= PerfSettings.MOST_MEMORY,
                "That would take " + Figures.bytes(memory) + " of memory on each side, where "
                        + Figures.bytes(PerfSettings.MOST_MEMORY)
                        + " are allowed: choose smaller messages or fewer --qps");
        if (svgFile.isPresent()) {
            checkWritable(svgFile.get());
        }
    }

    private static void checkWritable(Path file) throws Failure {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
            throw new Failure("The picture cannot be written to '" + file + "': name a file in a folder that exists");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new Failure("The picture cannot be written to '" + file + "': permission is denied");
        }
    }

    private static void range(String option, int value, int most) throws UsageProblem {
        check(value >= 1 && value <= most, option + " must be 1 to " + most + ", not " + value);
    }

    private static void check(boolean condition, String sentence) throws UsageProblem {
        if (!condition) {
            throw new UsageProblem(sentence);
        }
    }

    private Duration warmUp() throws UsageProblem {
        return limited("--warm-up", warmUpSeconds, 0);
    }

    private long duration() throws UsageProblem {
        return limited("--seconds", seconds.orElse(iterations.isPresent() ? 3600.0 : 1.0), 0.001)
                .toNanos();
    }

    private static Duration limited(String option, double seconds, double least) throws UsageProblem {
        Duration span = Seconds.of(option, seconds, least);
        check(span.toNanos() <= PerfRun.MOST_NS, option + " must be an hour, 3600 seconds, at most");
        return span;
    }

    private void describe(RnicOptions options, JsonObject figures) throws UsageProblem {
        figures.put("role", "client")
                .put("server", words.size() > 1 ? words.get(1) : "")
                .put("queuePairs", queuePairs)
                .put("depth", depth)
                .put("batch", batch)
                .put("crc", options.crc())
                .put("markers", options.markers())
                .put("warmUpNs", warmUp().toNanos());
    }

    private String mode(RnicOptions options) throws UsageProblem {
        return (options.progress() == Progress.INLINE ? "INLINE" : "Engine thread")
                + ", CRC " + (options.crc() ? "on" : "off")
                + ", markers " + (options.markers() ? "on" : "off")
                + ", " + Figures.seconds(warmUp()) + " of warm-up each";
    }

    private String circumstances(RnicOptions options) {
        return "CRC " + (options.crc() ? "on" : "off") + ", markers " + (options.markers() ? "on" : "off") + "; "
                + queuePairs + " queue pair(s), depth " + depth + ", batches of " + batch + "; "
                + results.stream()
                        .map(result -> (result.op().latency() ? "latency " : "bandwidth ")
                                + (result.inline() ? "INLINE" : "by engine thread"))
                        .distinct()
                        .collect(joining(", "))
                + (words.size() > 1 ? "; server " + words.get(1) : "; loopback, two processes");
    }

    private void say(String line) {
        if (!json) {
            terminal.out().println(line);
            terminal.out().flush();
        }
    }

    private void note(String line) {
        if (!quiet && !peerProcess) {
            terminal.say(line);
        }
    }
}
