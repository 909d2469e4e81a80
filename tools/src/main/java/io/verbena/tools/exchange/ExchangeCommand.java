package io.verbena.tools.exchange;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.text.AddressText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.NotReached;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.Hosts;
import io.verbena.tools.command.InTurn;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that exchanges addresses with a Linux program over TCP and connects queue pairs by hand. Without HOST it is
 * the server, for one client.
 *
 * @param <S> what the arguments request
 * @param <R> the result of a run
 */
public abstract class ExchangeCommand<S, R> extends FiguresCommand {

    public static final long MOST_BYTES = 1 << 30;

    private static final String PROVIDER = "roce";
    private static final int PORT = 18_515;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "HOST[:PORT]",
            description = "Server: a name or an IP address.")
    private Optional<String> host = Optional.empty();

    @Option(
            names = {"-a", "--address"},
            paramLabel = "ADDRESS",
            description =
                    "Local address of the RNIC. Default: the address that leads to the peer; if the peer is on this host, a"
                            + " free loopback address.")
    private Optional<String> address = Optional.empty();

    @Option(
            names = "--exchange",
            paramLabel = "ADDRESS",
            description =
                    "Server: local address of the exchange over TCP, if it is not that of the RNIC. Programs of Linux"
                            + " exchange over IPv4 although their GIDs are IPv6 addresses. Without this option a client must"
                            + " have its RNIC at the address from which it connects.")
    private Optional<String> exchange = Optional.empty();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "Port of the exchange. Default: 18515.")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Fail when the peer does nothing for this time. Default: ${DEFAULT-VALUE}.")
    private double timeoutSeconds = 10;

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    public final StopSignal stop;

    public ExchangeCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    /** What the arguments request. It is added to the figures. */
    public abstract S settings(InetAddress local, Duration timeout, JsonObject figures) throws UsageProblem;

    /** Creates this side of the program; all of it ends with the RNIC. */
    public abstract ExchangeProgram<R> open(Rnic rnic, S settings) throws Failure;

    public abstract void report(R result, JsonObject figures);

    /** The Linux program, such as ibv_rc_pingpong. */
    public abstract String linuxProgram();

    /** The command with its first argument. */
    public abstract String thisProgram();

    @Override
    public final boolean run(JsonObject figures) throws Exception {
        check(port() >= (host.isPresent() ? 1 : 0) && port() <= 65_535, "--port must be 1 to 65535, not " + port());
        check(host.isEmpty() || exchange.isEmpty(), "--exchange is for servers; a client exchanges with HOST");
        checkArguments();
        Optional<InTurn> servers = host.isPresent()
                ? Optional.of(new InTurn(HostPort.parse("HOST", host.get(), port, PORT), terminal::say))
                : Optional.empty();
        Optional<InetAddress> given =
                address.isPresent() ? Optional.of(HostPort.address("-a", address.get())) : Optional.empty();
        RnicOptions requested = rnicArguments.options();
        RnicOptions options = requested.provider().isEmpty() ? requested.withProvider(PROVIDER) : requested;
        check(
                !byHand() || connectsByHand(options),
                "Queue pairs of iWARP cannot be connected by hand: add -R on both sides, or use --provider roce");
        figures.put("role", servers.isPresent() ? "client" : "server");
        Duration timeout = Seconds.of("--timeout", timeoutSeconds, 0.001);
        if (servers.isPresent()) {
            return servers.get().reach(server -> {
                InetAddress local = given.isPresent() ? given.get() : towards(server);
                Sides sides = new Sides(local, Optional.of(server), timeout, Optional.empty());
                return run(options, figures, sides, given.isPresent());
            });
        }
        if (given.isEmpty() && byHand()) {
            // The address that the client has reached is the one for the RNIC.
            try (ExchangeSocket socket = accept(Hosts.everyAddress(), timeout)) {
                return run(
                        options,
                        figures,
                        new Sides(socket.local(), Optional.empty(), timeout, Optional.of(socket)),
                        false);
            }
        }
        InetAddress local = given.orElseGet(Hosts::everyAddress);
        return run(options, figures, new Sides(local, Optional.empty(), timeout, Optional.empty()), given.isPresent());
    }

    private InetAddress towards(InetSocketAddress server) throws NotReached {
        try {
            return Hosts.towards(server);
        } catch (SocketException e) {
            throw notConnected("No address of this host leads to " + AddressText.ofIp(server) + ".", e);
        }
    }

    private boolean run(RnicOptions options, JsonObject figures, Sides sides, boolean given) throws Exception {
        // The address of a peer on this host may be that of its RNIC, and an address can have one RNIC at a time.
        boolean sameHost = sides.local().isLoopbackAddress()
                || sides.server().map(InetSocketAddress::getAddress).equals(Optional.of(sides.local()));
        RnicOptions opened =
                given || !sameHost ? RnicArguments.at(options, new InetSocketAddress(sides.local(), 0)) : options;
        try (Rnic rnic = Rnic.open(opened)) {
            S settings = settings(addressOf(rnic, sides.local()), sides.timeout(), figures);
            report(execute(rnic, settings, sides), figures);
            return true;
        }
    }

    private static boolean connectsByHand(RnicOptions options) {
        return switch (RnicProvider.named(options.provider()).describe(options).transport()) {
            case ROCE_V2, INFINIBAND -> true;
            case IWARP, SHARED_MEMORY -> false;
        };
    }

    /** The address that the RNIC has chosen, if it has one of its own. */
    private static InetAddress addressOf(Rnic rnic, InetAddress requested) throws IOException {
        try (Listener listener = rnic.listen(new InetSocketAddress(0))) {
            InetAddress own = ((InetSocketAddress) listener.localAddress()).getAddress();
            return own.isAnyLocalAddress() ? requested : own;
        }
    }

    /** Whether the queue pairs are connected by hand, with an exchange over TCP. */
    public boolean byHand() {
        return true;
    }

    /** Checks what can be checked before a name is resolved. */
    public abstract void checkArguments() throws UsageProblem;

    /**
     * Where the two sides are.
     *
     * @param local address of this side; for a server, it may be every address
     * @param server the server; empty if this side is the server
     * @param timeout maximum time to wait for the peer
     * @param accepted the connection of a client that came before the RNIC was opened
     */
    public record Sides(
            InetAddress local,
            Optional<InetSocketAddress> server,
            Duration timeout,
            Optional<ExchangeSocket> accepted) {}

    /** Runs the program with a peer, over TCP. */
    public R execute(Rnic rnic, S settings, Sides sides) throws Exception {
        ExchangeProgram<R> program = open(rnic, settings);
        if (sides.accepted().isPresent()) {
            return program.run(sides.accepted().get());
        }
        try (ExchangeSocket socket = sides.server().isPresent()
                ? connect(sides.server().get(), sides.timeout())
                : accept(sides.local(), sides.timeout())) {
            return program.run(socket);
        }
    }

    /** The port of the exchange. */
    public final int port() {
        return port.orElse(PORT);
    }

    private ExchangeSocket connect(InetSocketAddress server, Duration timeout) throws IOException, Failure {
        try {
            return ExchangeSocket.connect(server, timeout);
        } catch (ConnectException e) {
            throw notConnected("Nothing listens at " + AddressText.ofIp(server) + ".", e);
        } catch (SocketException | SocketTimeoutException e) {
            throw notConnected("No connection to " + AddressText.ofIp(server) + ": " + Problems.sentence(e), e);
        }
    }

    /** Waits for the only client. */
    private ExchangeSocket accept(InetAddress local, Duration timeout) throws IOException, Failure, UsageProblem {
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReuseAddress(true);
            listener.bind(
                    exchange.isPresent()
                            ? new InetSocketAddress(HostPort.address("--exchange", exchange.get()), port())
                            : new InetSocketAddress(local, port()));
            sayListening(listener.getLocalSocketAddress());
            ExchangeSocket client = ExchangeSocket.accept(listener, timeout, stop);
            return exchange.isPresent() ? client.overAnotherNetwork() : client;
        }
    }

    /** The failure of a client, with what to do. */
    public final NotReached notConnected(String sentence, IOException cause) {
        return new NotReached(
                sentence + " 'verbena " + thisProgram() + "' or '" + linuxProgram()
                        + "' starts a server there; -p sets the port",
                cause);
    }

    public final void sayListening(SocketAddress local) {
        terminal.say("Listening at " + AddressText.ofIp(local) + ".");
    }

    /** A line for people. */
    public final void tell(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }

    public static void checkMtu(int mtuBytes) throws UsageProblem {
        check(
                Integer.bitCount(mtuBytes) == 1 && mtuBytes >= 256 && mtuBytes <= 4096,
                "--mtu must be 256, 512, 1024, 2048 or 4096, not " + mtuBytes);
    }
}
