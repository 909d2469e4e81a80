package io.verbena.tools.sockets;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.sockets.proxy.Proxy;
import io.verbena.sockets.proxy.ProxyAddress;
import io.verbena.sockets.proxy.ProxyFigures;
import io.verbena.sockets.proxy.ProxyLimits;
import io.verbena.sockets.proxy.ProxyMetrics;
import io.verbena.sockets.proxy.ProxyOptions;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.LiveLines;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena sockets proxy}: TCP in, RDMA out, or the reverse. */
@Command(
        name = "proxy",
        customSynopsis = "verbena sockets proxy [OPTIONS] --listen ADDRESS --to ADDRESS",
        description = {
            "Accept connections and carry their bytes to a target: TCP at one end, RDMA at the other. Programs of any"
                    + " language use RDMA by a proxy at each side; a program that runs with the provider of channels needs none.",
            "",
            "An end of a stream, a half-close and a reset are passed on. A client whose target cannot be connected is"
                    + " disconnected at once. An end for RDMA also accepts TCP, and uses it if the target does not speak RDMA;"
                    + " the figures count such connections.",
            "",
            "There is no password and no encryption: listen at an address that only your own machines can reach.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sockets proxy --listen :8080 --to rdma:192.0.2.7:7000       at the client",
            "  verbena sockets proxy --listen rdma::7000 --to localhost:80         at the server",
            "  curl http://127.0.0.1:8080/                                         over RDMA",
            "  verbena sockets proxy -l :9092 --to rdma:db-1:9092 --max-per-address 9"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:the proxy failed", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class SocketsProxyCommand extends FiguresCommand {

    private static final long LINE_NS = 500_000_000;
    private static final long LOOK_MS = 20;
    private static final String RDMA = "rdma:";
    private static final String TCP = "tcp:";

    private final StopSignal stop;

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "ADDRESS",
            required = true,
            description = "Where clients connect: HOST:PORT or tcp:HOST:PORT for TCP, rdma:HOST:PORT for RDMA. Without"
                    + " HOST: every address. Port 0 chooses a free port.")
    private String listen = "";

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            required = true,
            description =
                    "The target, in the same form. All addresses of a name are tried, and looked up again while the proxy"
                            + " runs.")
    private String to = "";

    @Mixin
    private final SocketsArguments sockets = new SocketsArguments();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Maximum number of connections; more are refused. Default: 10000.")
    private int maxConnections = 10_000;

    @Option(
            names = "--max-per-address",
            paramLabel = "N",
            description = "Maximum number of connections of clients with one IP address. Default: no limit of its own.")
    private Optional<Integer> maxPerAddress = Optional.empty();

    @Option(
            names = "--connect-timeout",
            paramLabel = "SECONDS",
            description = "Time after which a target that answers no connection is given up. Default: 5.")
    private double connectSeconds = 5;

    @Option(
            names = "--keep-alive",
            paramLabel = "SECONDS",
            description =
                    "Probe a peer that is silent for this time, and reset its connection if three probes are not answered."
                            + " Default: a peer may be silent for any time.")
    private Optional<Double> keepAliveSeconds = Optional.empty();

    @Mixin
    private final WebArguments web = new WebArguments();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    private final LiveLines live;

    public SocketsProxyCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
        live = new LiveLines(terminal.err());
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        ProxyOptions options = options();
        try (Proxy proxy = open(options);
                Observation _ = web.observe(
                        "sockets proxy", List.of(), () -> List.of(ProxyMetrics.of(proxy.figures())), this::note)) {
            stop.onServing();
            ProxyAddress real = new ProxyAddress(options.listen().rdma(), proxy.localAddress());
            figures.put("listen", real.toString())
                    .put("target", options.target().toString());
            note("Listening at " + real + " for " + options.target() + ".");
            serve(proxy);
            live.clear();
            boolean ended = proxy.running();
            put(figures, proxy.figures());
            note("Stopped: " + line(proxy.figures()) + ".");
            return ended;
        }
    }

    private ProxyOptions options() throws UsageProblem, Failure {
        check(
                maxConnections >= 1 && maxConnections <= 1_000_000,
                "--max-connections must be 1 to 1000000, not " + maxConnections);
        int perAddress = maxPerAddress.orElse(maxConnections);
        check(perAddress >= 1, "--max-per-address must be 1 or more, not " + perAddress);
        ProxyAddress from = address("--listen", listen);
        ProxyAddress target = address("--to", to);
        check(
                from.rdma() || target.rdma(),
                "Neither end uses RDMA; write rdma: before the address of --listen or --to");
        check(target.socket().getPort() != 0, "--to must have the port of the target, not '" + to + "'");
        Optional<Duration> keepAlive = keepAliveSeconds.isEmpty()
                ? Optional.empty()
                : Optional.of(Seconds.of("--keep-alive", keepAliveSeconds.get(), 1));
        ProxyLimits limits = new ProxyLimits(
                maxConnections, perAddress, Seconds.of("--connect-timeout", connectSeconds, 0.001), keepAlive);
        try {
            return new ProxyOptions(from, target, sockets.options(), limits);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private static ProxyAddress address(String option, String text) throws UsageProblem, Failure {
        boolean rdma = text.startsWith(RDMA);
        String rest = rdma ? text.substring(RDMA.length()) : text.startsWith(TCP) ? text.substring(TCP.length()) : text;
        HostPort parsed =
                option.equals("--listen") ? HostPort.listening(option, rest, 0) : HostPort.parse(option, rest, 0);
        return new ProxyAddress(rdma, parsed.resolve());
    }

    private Proxy open(ProxyOptions options) throws Failure {
        try {
            return Proxy.open(options, this::note);
        } catch (IOException e) {
            throw new Failure(
                    "Cannot listen at " + options.listen() + ": " + Problems.sentence(e)
                            + " Choose another address with --listen.",
                    e);
        }
    }

    /** Until the user requests the end. On a terminal, a line shows the figures. */
    private void serve(Proxy proxy) throws InterruptedException {
        long drawnNs = System.nanoTime();
        while (!stop.raised() && proxy.running()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            if (terminal.interactive() && !quiet.quiet() && System.nanoTime() - drawnNs >= LINE_NS) {
                drawnNs = System.nanoTime();
                draw(proxy.figures());
            }
        }
    }

    private synchronized void draw(ProxyFigures now) {
        live.draw(List.of(line(now)));
    }

    /** The thread of the proxy and that of the command. */
    private synchronized void note(String line) {
        if (!quiet.quiet()) {
            live.clear();
            terminal.say(line);
        }
    }

    private static String line(ProxyFigures now) {
        ProxyFigures.Connections connections = now.connections();
        return Figures.count(connections.open()) + " open, " + Figures.count(connections.accepted()) + " accepted, "
                + Figures.count(connections.refused()) + " refused, " + Figures.count(connections.failed())
                + " failed; " + Figures.bytes(now.bytesToTarget()) + " to the target, "
                + Figures.bytes(now.bytesToClients()) + " to clients";
    }

    private static void put(JsonObject figures, ProxyFigures now) {
        ProxyFigures.Connections connections = now.connections();
        figures.put(
                        "connections",
                        new JsonObject()
                                .put("open", connections.open())
                                .put("accepted", connections.accepted())
                                .put("refused", connections.refused())
                                .put("failed", connections.failed())
                                .put("plain", connections.plain()))
                .put("bytesToTarget", now.bytesToTarget())
                .put("bytesToClients", now.bytesToClients());
    }
}
