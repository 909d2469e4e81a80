package io.verbena.tools;

import io.verbena.files.Addresses;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.perftest.Perftest;
import io.verbena.tools.perftest.PerftestOp;
import io.verbena.tools.perftest.PerftestResult;
import io.verbena.tools.perftest.PerftestSettings;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena perftest}: both roles of the programs of perftest. */
@Command(
        name = "perftest",
        customSynopsis = {"verbena perftest OP [OPTIONS] HOST", "  or:  verbena perftest OP [OPTIONS]      (server)"},
        description = {
            "Measure against a program of perftest, such as ib_write_bw: either side may be the Linux program.",
            "",
            "OP is write_bw, read_bw, send_bw, write_lat, read_lat or send_lat. Both sides need the same OP, size and number of"
                    + " messages, and the Linux program needs a GID (-x). The sides exchange their addresses over TCP and"
                    + " connect one queue pair by hand, without a connection manager. Without HOST the command is the"
                    + " server: it waits for one client. 'verbena perf' measures Verbena against itself.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena perftest write_bw -a 192.0.2.7        server",
            "  verbena perftest write_bw 192.0.2.7           client: 5000 Writes of 64 KiB",
            "  ib_write_bw -d rxe0 -x 1 192.0.2.7            Linux's client, against a Verbena server",
            "  verbena perftest send_lat 192.0.2.7 -s 8 -n 1000 --inline --json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the measurement is complete",
            "1:the exchange of addresses or a message failed",
            "2:wrong arguments"
        })
final class PerftestCommand extends FiguresCommand {

    private static final String PROVIDER = "roce";
    private static final int BANDWIDTH_BYTES = 65_536;
    private static final int LATENCY_BYTES = 2;
    private static final long BANDWIDTH_MESSAGES = 1000;
    private static final long WRITES = 5000;
    private static final long MOST_BYTES = 1 << 30;
    private static final int MOST_DEPTH = 1 << 15;

    @Parameters(index = "0", paramLabel = "OP", description = "What to measure.")
    private String word = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "Server: a name or an IP address.")
    private Optional<String> host = Optional.empty();

    @Option(
            names = {"-a", "--address"},
            paramLabel = "ADDRESS",
            description =
                    "Local address of the RNIC. Default for a client: the address from which the server is reached.")
    private Optional<String> address = Optional.empty();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "18515",
            description = "TCP port of the exchange. Default: ${DEFAULT-VALUE}.")
    private int port = 18_515;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Length of a message. Default: 64 KiB for a bandwidth, 2 bytes for a latency.")
    private Optional<Long> size = Optional.empty();

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description = "Number of messages. Default: 5000 for write_bw, else 1000.")
    private Optional<Long> iterations = Optional.empty();

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Bandwidth: maximum number of messages under way. Default: ${DEFAULT-VALUE}.")
    private int depth = 128;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Number of receives posted at a time. Default: ${DEFAULT-VALUE}.")
    private int receiveDepth = 512;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096; the smaller one of both sides is used. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int mtuBytes = 1024;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "N",
            defaultValue = "16",
            description = "Maximum number of Reads under way. Default: ${DEFAULT-VALUE}.")
    private int reads = 16;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Fail when the peer does nothing for this time. Default: ${DEFAULT-VALUE}.")
    private double timeoutSeconds = 10;

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    private final StopSignal stop;

    PerftestCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        PerftestOp op = PerftestOp.named(word)
                .orElseThrow(() -> new UsageProblem("There is no operation '" + word
                        + "'; use write_bw, read_bw, send_bw, write_lat, read_lat or send_lat"));
        checkArguments();
        Optional<InetSocketAddress> server =
                host.isPresent() ? Optional.of(Hosts.resolve(host.get(), port)) : Optional.empty();
        RnicOptions options = rnicArguments.options();
        InetAddress local = Hosts.local(address, server);
        PerftestSettings settings = settings(op, local);
        figures.put("role", server.isPresent() ? "client" : "server")
                .put("op", op.word())
                .put("size", settings.bytes());
        RnicOptions opened = (options.provider().isEmpty() ? options.withProvider(PROVIDER) : options)
                .withDevice(local.getHostAddress());
        try (Rnic rnic = Rnic.open(opened)) {
            Perftest test = new Perftest(rnic, settings, stop, this::note);
            report(server.isPresent() ? connect(test, server.get()) : serve(test, local), figures);
            return true;
        } catch (StopSignal.Stopped e) {
            throw new Failure("Stopped before the end", e);
        }
    }

    private PerftestResult connect(Perftest test, InetSocketAddress server) throws IOException, Failure {
        try {
            return test.connect(server);
        } catch (ConnectException e) {
            throw new Failure(
                    "Nothing listens at " + Addresses.text(server) + ". 'verbena perftest " + word + "' or 'ib_" + word
                            + "' starts a server there; -p sets the port",
                    e);
        }
    }

    private PerftestResult serve(Perftest test, InetAddress local) throws IOException, Failure {
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(local, port));
            note("Listening at " + Addresses.text((InetSocketAddress) listener.getLocalSocketAddress()) + ".");
            return test.serve(listener);
        }
    }

    private void report(PerftestResult result, JsonObject figures) {
        figures.put("iterations", result.iterations());
        String what = Figures.count(result.iterations()) + " messages of " + Figures.bytes(result.bytes());
        if (result.bytesPerSecond() > 0) {
            figures.put("bytesPerSecond", result.bytesPerSecond())
                    .put("messagesPerSecond", result.bytesPerSecond() / result.bytes());
            say(what + ": " + Figures.bytesPerSecond(result.bytesPerSecond()) + ".");
        } else if (result.latencies().isPresent() && result.latencies().get().count() > 0) {
            figures.put("latencyNs", result.latencies().get().json());
            say(what + ": " + result.latencies().get().sentence() + ".");
        } else {
            say(what + ".");
        }
    }

    private void say(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }

    private void note(String line) {
        terminal.say(line);
    }

    private void checkArguments() throws UsageProblem {
        check(port >= (host.isPresent() ? 1 : 0) && port <= 65_535, "--port must be 1 to 65535, not " + port);
        check(
                Integer.bitCount(mtuBytes) == 1 && mtuBytes >= 256 && mtuBytes <= 4096,
                "--mtu must be 256, 512, 1024, 2048 or 4096, not " + mtuBytes);
        check(depth >= 1 && depth <= MOST_DEPTH, "--tx-depth must be 1 to 32768, not " + depth);
        check(receiveDepth >= 1 && receiveDepth <= MOST_DEPTH, "--rx-depth must be 1 to 32768, not " + receiveDepth);
        check(reads >= 1 && reads <= 128, "--outs must be 1 to 128, not " + reads);
        check(
                size.isEmpty() || size.get() >= 1 && size.get() <= MOST_BYTES,
                "--size must be 1 byte to 1 GiB, not " + size.orElse(0L));
        check(iterations.isEmpty() || iterations.get() >= 1, "--iters must be 1 or more, not " + iterations.orElse(0L));
    }

    private static void check(boolean condition, String sentence) throws UsageProblem {
        if (!condition) {
            throw new UsageProblem(sentence);
        }
    }

    private PerftestSettings settings(PerftestOp op, InetAddress local) throws UsageProblem {
        return new PerftestSettings(
                op,
                size.map(Math::toIntExact).orElse(op.latency() ? LATENCY_BYTES : BANDWIDTH_BYTES),
                iterations.orElse(op == PerftestOp.WRITE_BW ? WRITES : BANDWIDTH_MESSAGES),
                depth,
                receiveDepth,
                mtuBytes,
                reads,
                Seconds.of("--timeout", timeoutSeconds, 0.001),
                local);
    }
}
