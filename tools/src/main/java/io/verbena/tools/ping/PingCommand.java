package io.verbena.tools.ping;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.text.AddressText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.ConnectionArguments;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.InTurn;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena ping}: both roles of rping. */
@Command(
        name = "ping",
        customSynopsis = {"verbena ping [OPTIONS] HOST", "  or:  verbena ping --server [OPTIONS]"},
        description = {
            "Ping by RDMA, with the protocol of Linux's rping (librdmacm): either side may be rping.",
            "",
            "In each round the client offers two buffers. The server reads the first by RDMA Read and writes the same bytes"
                    + " to the second by RDMA Write. The client compares the two and measures the time.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena ping --server                    serve one client at port 7174, then exit",
            "  verbena ping --server -P                 serve any number of clients until Ctrl-C",
            "  verbena ping 192.0.2.7                   ten rounds of 64 bytes",
            "  verbena ping 192.0.2.7 -S 65535 -C 1000 --crc",
            "  verbena ping 192.0.2.7 -C 0 --interval 1 -v",
            "  rping -c -a 192.0.2.7 -C 10 -V           Linux's client, against a Verbena server",
            "  verbena ping 192.0.2.7 --capture ping.pcapng && tshark -r ping.pcapng"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all rounds were completed and verified",
            "1:a round or the connection failed",
            "2:wrong arguments"
        })
public final class PingCommand extends FiguresCommand {

    private static final int PORT = 7174;
    private static final int LEAST_MAXIMUM_BYTES = 1 << 20;
    private static final long MOST_BYTES = 1 << 30;

    @Parameters(arity = "0..1", paramLabel = "HOST[:PORT]", description = "Server to ping: a name or an IP address.")
    private Optional<String> host = Optional.empty();

    @Option(
            names = {"-s", "--server"},
            description = "Run as the server.")
    private boolean server;

    @Option(
            names = {"-c", "--client"},
            description = "Run as the client; this is the default with a HOST.")
    private boolean client;

    @Option(
            names = {"-a", "--address"},
            paramLabel = "ADDRESS",
            description = "Client: the server's address, instead of HOST. Server: the local address to listen at.")
    private Optional<String> address = Optional.empty();

    @Option(
            names = {"-I", "--source"},
            paramLabel = "ADDRESS",
            description = "Client: the local address to connect from. Default: the system's choice.")
    private Optional<String> source = Optional.empty();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "TCP port. With 0 the server chooses a free port and prints it. Default: 7174.")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            defaultValue = "64",
            converter = ByteSize.class,
            description =
                    "Bytes per round and direction. rping allows at most 65535 and requires the same size on both sides."
                            + " A Verbena server accepts the client's size, up to 1 MiB or this value. Default: ${DEFAULT-VALUE}.")
    private long size = 64;

    @Option(
            names = {"-C", "--count"},
            paramLabel = "N",
            defaultValue = "10",
            description = "Client: number of rounds, 0 for no limit. Default: ${DEFAULT-VALUE}.")
    private long count = 10;

    @Option(
            names = {"-V", "--verify"},
            negatable = true,
            description =
                    "Compare the bytes. Default: on for the client, off for the server. A server with -V checks that it"
                            + " read rping's text.")
    private Optional<Boolean> verify = Optional.empty();

    @Option(
            names = {"-v", "--verbose"},
            description = "Print the ping data, like rping.")
    private boolean verbose;

    @Option(
            names = {"-P", "--persistent"},
            description = "Server: serve several clients at the same time, until Ctrl-C.")
    private boolean persistent;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "256",
            description = "Server with -P: maximum number of clients at the same time. Default: ${DEFAULT-VALUE}.")
    private int maxConnections = 256;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Server with -P: exit after this number of clients, 0 for no limit. Default: ${DEFAULT-VALUE}.")
    private long totalConnections;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "Client: pause between rounds. Default: ${DEFAULT-VALUE}.")
    private double intervalSeconds;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "Server: disconnect a client that starts no round for this time. Default: ${DEFAULT-VALUE}.")
    private double idleSeconds = 600;

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    private final StopSignal stop;
    private ProgressBar bar = ProgressBar.hidden();

    public PingCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        checkArguments();
        PingSettings settings = settings();
        HostPort peer = address();
        figures.put("role", server ? "server" : "client").put("size", size);
        return server ? serve(peer.resolve(), settings, figures) : ping(peer, settings, figures);
    }

    private boolean ping(HostPort peer, PingSettings settings, JsonObject figures) throws Exception {
        InTurn addresses = new InTurn(peer, this::note);
        return addresses.reach(where -> {
            try (Rnic rnic = Rnic.open(RnicArguments.towards(rnicArguments.options(), where))) {
                return ping(new PingClient(rnic, settings, listener(), stop), where, addresses.last(), figures);
            } catch (ConnectionException e) {
                throw addresses.last() ? new Failure(Problems.sentence(e) + advice(e.kind(), where), e) : e;
            }
        });
    }

    private boolean ping(PingClient pinger, InetSocketAddress where, boolean last, JsonObject figures)
            throws ConnectionException, Failure {
        try {
            pinger.run(where);
        } catch (StopSignal.Stopped e) {
            note("Stopped.");
        } finally {
            bar.clear();
            if (last || pinger.figures().connections() > 0 || stop.raised()) {
                figures.put("server", AddressText.ofIp(where));
                pinger.figures().addTo(figures);
                summary(pinger.figures(), AddressText.ofIp(where));
            }
        }
        return checkRounds(pinger.figures().rounds());
    }

    private boolean checkRounds(long rounds) throws Failure {
        if (rounds < Math.max(count, 1)) {
            throw new Failure(
                    count == 0
                            ? "Stopped before any round was complete"
                            : "Stopped after " + rounds + " of " + count + " rounds");
        }
        return true;
    }

    private String advice(ConnectionException.Kind kind, InetSocketAddress where) {
        return switch (kind) {
            case REFUSED -> " 'verbena ping --server' or 'rping -s' starts a server there; -p sets the port.";
            case TIMED_OUT ->
                " Check the address " + AddressText.ofIp(where) + " and firewalls; --timeout sets how long to wait.";
            case FAILED ->
                source.map(from -> " Check that " + from + " (-I) is an address of this host.")
                        .orElse("");
            case REJECTED -> "";
        };
    }

    private boolean serve(InetSocketAddress where, PingSettings settings, JsonObject figures) throws Exception {
        try (Rnic rnic = Rnic.open(RnicArguments.at(rnicArguments.options(), where))) {
            return serve(new PingServer(rnic, settings, listener(), stop), where, figures);
        }
    }

    private boolean serve(PingServer server, InetSocketAddress where, JsonObject figures) throws Failure {
        try {
            server.serve(where, real -> note("Listening at " + AddressText.ofIp(real) + "."));
        } catch (IOException e) {
            throw new Failure(
                    Problems.sentence(e) + " Choose another port with -p or another local address with -a.", e);
        } finally {
            bar.clear();
            server.figures().addTo(figures);
            figures.put("connectionsFailed", server.failed()).putStrings("failures", server.failures());
        }
        summary(server.figures(), server.figures().connections() + " client(s)");
        if (server.failed() > 0) {
            String first = server.failures().getFirst();
            throw new Failure(persistent ? server.failed() + " connection(s) failed; the first: " + first : first);
        }
        if (server.figures().rounds() == 0 && !persistent) {
            throw new Failure("The server was stopped before any round was complete");
        }
        return true;
    }

    private void summary(PingFigures ping, String with) {
        if (!quiet.quiet() && !json && ping.rounds() > 0) {
            terminal.tell(Figures.count(ping.rounds()) + " round(s) with " + with + ", " + Figures.bytes(ping.bytes())
                    + " each way.");
            terminal.tell("Round time: " + ping.roundTimes().sentence() + ".");
            terminal.tell("The first round took " + Figures.microseconds(ping.firstNs())
                    + " µs, with code that ran for the first time.");
        }
    }

    private PingListener listener() {
        bar = terminal.bar(stop, quiet.quiet() || verbose, "Rounds", server ? 0 : count);
        return new PingListener() {
            private long startNs;

            @Override
            public void onData(String label, MemorySegment data) {
                if (verbose) {
                    (json ? terminal.err() : terminal.out()).println(label + ": " + PingPattern.text(data));
                }
            }

            @Override
            public void onRounds(long rounds) {
                long nowNs = System.nanoTime();
                startNs = startNs == 0 ? nowNs : startNs;
                bar.update(rounds, nowNs, () -> Figures.perSecond(Figures.rate(rounds - 1, nowNs - startNs)));
            }

            @Override
            public void onEvent(String line) {
                note(line);
            }
        };
    }

    private void note(String line) {
        if (!quiet.quiet()) {
            bar.clear();
            terminal.say(line);
        }
    }

    private void checkArguments() throws UsageProblem {
        if (server && client) {
            throw new UsageProblem("Give either --server or --client, not both");
        }
        if (server && host.isPresent()) {
            throw new UsageProblem("Give either --server or a HOST, not both; -a sets the local address of a server");
        }
        if (!server && host.isPresent() == address.isPresent()) {
            throw new UsageProblem(
                    host.isPresent()
                            ? "Give the address of the server either as HOST or with -a, not both"
                            : "ping needs a HOST, or --server to run as the server");
        }
        check(source.isEmpty() || !server, "-I applies to the client; -a sets the local address of a server");
        int chosen = port.orElse(PORT);
        check(chosen >= (server ? 0 : 1) && chosen <= 65_535, "--port must be 1 to 65535, not " + chosen);
        check(size >= 1 && size <= MOST_BYTES, "--size must be 1 byte to 1 GiB, not " + size);
        check(count >= 0, "--count must be 0 (no limit) or more, not " + count);
        check(
                maxConnections >= 1 && maxConnections <= 10_000,
                "--max-connections must be 1 to 10000, not " + maxConnections);
        check(totalConnections >= 0, "--connections must be 0 (no limit) or more, not " + totalConnections);
    }

    private PingSettings settings() throws UsageProblem, Failure {
        ConnectionOptions options = connection.options();
        if (source.isPresent()) {
            options = options.withLocalAddress(new InetSocketAddress(HostPort.address("-I", source.get()), 0));
        }
        return new PingSettings(
                new PingSettings.Rounds(
                        (int) size, count, verify.orElse(!server), Seconds.of("--interval", intervalSeconds, 0)),
                new PingSettings.Waits(connection.timeout(), Seconds.of("--idle", idleSeconds, 0.001)),
                new PingSettings.Admission(
                        (int) Math.max(size, LEAST_MAXIMUM_BYTES),
                        persistent ? maxConnections : 1,
                        persistent ? totalConnections : 1),
                options);
    }

    private HostPort address() throws UsageProblem {
        Optional<String> name = host.or(() -> address);
        String option = host.isPresent() ? "HOST" : "-a";
        return name.isEmpty() ? new HostPort("", port.orElse(PORT)) : HostPort.parse(option, name.get(), port, PORT);
    }
}
