package io.verbena.tools.pingpong;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.exchange.ExchangeCommand;
import io.verbena.tools.exchange.ExchangeProgram;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena pingpong}: both roles of ibv_rc_pingpong and its relatives. */
@Command(
        name = "pingpong",
        customSynopsis = {
            "verbena pingpong rc|uc|ud|srq [OPTIONS] HOST",
            "  or:  verbena pingpong rc|uc|ud|srq [OPTIONS]      (server)"
        },
        description = {
            "Ping-pong over an InfiniBand transport service, with the protocol of the Linux programs ibv_rc_pingpong,"
                    + " ibv_uc_pingpong, ibv_ud_pingpong and ibv_srq_pingpong (libibverbs): either side may be the Linux"
                    + " program.",
            "",
            "The two sides exchange the addresses of their queue pairs over TCP and connect the queue pairs by hand, without a"
                    + " connection manager. Without HOST the command is the server: it waits for one client.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena pingpong rc                      server, for one client",
            "  verbena pingpong rc 192.0.2.7            client: 1000 messages of 4 KiB each way",
            "  verbena pingpong ud 192.0.2.7 -s 1024 -n 10000 --json",
            "  ibv_rc_pingpong -d rxe0 -g 1 192.0.2.7   Linux's client, against a Verbena server"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all messages were exchanged",
            "1:the exchange of addresses or a message failed",
            "2:wrong arguments"
        })
public final class PingPongCommand extends ExchangeCommand<PingPongSettings, PingPongFigures> {

    private static final long ROUNDS = 1000;
    private static final int SRQ_QUEUE_PAIRS = 16;
    private static final int DATAGRAM_BYTES = 1024;
    private static final int MESSAGE_BYTES = 4096;
    private static final int MOST_DEPTH = 1 << 16;

    @Parameters(index = "0", paramLabel = "rc|uc|ud|srq", description = "Transport service.")
    private String service = "";

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Length of a message. Default: 4096; 1024 for ud.")
    private Optional<Long> size = Optional.empty();

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: ${DEFAULT-VALUE}.")
    private int mtuBytes = 1024;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "500",
            description = "Number of receives posted at a time. Default: ${DEFAULT-VALUE}.")
    private int depth = 500;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description =
                    "Number of messages per side. Default: 1000; a server plays until its client has sent nothing for"
                            + " 2 seconds.")
    private Optional<Long> iterations = Optional.empty();

    @Option(
            names = {"-q", "--num-qp"},
            paramLabel = "N",
            defaultValue = "16",
            description = "srq: number of queue pairs; the same on both sides. Default: ${DEFAULT-VALUE}.")
    private int queuePairs = SRQ_QUEUE_PAIRS;

    @Option(
            names = {"-l", "--sl"},
            paramLabel = "N",
            defaultValue = "0",
            description = "Service level, 0 to 15. Default: ${DEFAULT-VALUE}.")
    private int serviceLevel;

    @Option(
            names = {"-e", "--events"},
            description = "Wait for events instead of polling.")
    private boolean events;

    @Option(
            names = {"-c", "--chk"},
            description = "Client: mark each page of the message. Server: check the marks.")
    private boolean check;

    public PingPongCommand(Terminal terminal, StopSignal stop) {
        super(terminal, stop);
    }

    @Override
    public void report(PingPongFigures result, JsonObject figures) {
        double seconds = result.durationNs() / 1e9;
        figures.put("iterations", result.received())
                .put("bytes", result.totalBytes())
                .put("seconds", seconds)
                .put("microsecondsPerIteration", result.iterationNs() / 1e3);
        tell(Figures.count(result.received()) + " messages each way of " + Figures.bytes(result.bytes())
                + " in " + Figures.seconds(result.durationNs()) + ": "
                + Figures.microseconds(result.iterationNs()) + " µs per round, "
                + Figures.bytesPerSecond(result.totalBytes() / seconds) + ".");
    }

    @Override
    public void checkArguments() throws UsageProblem {
        check(word().matches("rc|uc|ud|srq"), "The service must be rc, uc, ud or srq, not '" + service + "'");
        checkMtu(mtuBytes);
        check(depth >= 1 && depth <= MOST_DEPTH, "--rx-depth must be 1 to 65536, not " + depth);
        check(iterations.orElse(ROUNDS) >= 1, "--iters must be 1 or more, not " + iterations.orElse(ROUNDS));
        check(
                queuePairs >= 1 && queuePairs <= PingPongService.MOST_QUEUE_PAIRS,
                "--num-qp must be 1 to 256, not " + queuePairs);
        check(serviceLevel >= 0 && serviceLevel <= 15, "--sl must be 0 to 15, not " + serviceLevel);
        long most = service.equalsIgnoreCase("ud") ? mtuBytes : MOST_BYTES;
        check(
                size.isEmpty() || size.get() >= 1 && size.get() <= most,
                "--size must be 1 to " + most + ", not " + size.orElse(0L)
                        + (most == mtuBytes ? ": a datagram is not longer than the path MTU" : ""));
    }

    @Override
    public PingPongSettings settings(InetAddress local, Duration timeout, JsonObject figures) {
        PingPongService kind = PingPongService.valueOf(service.toUpperCase(Locale.ROOT));
        int defaultBytes = kind == PingPongService.UD ? Math.min(DATAGRAM_BYTES, mtuBytes) : MESSAGE_BYTES;
        int bytes = size.map(Math::toIntExact).orElse(defaultBytes);
        figures.put("service", word()).put("size", bytes);
        return new PingPongSettings(
                kind,
                new PingPongSettings.Messages(bytes, iterations.orElse(ROUNDS), iterations.isEmpty(), check),
                new PingPongSettings.Queues(depth, kind == PingPongService.SRQ ? queuePairs : 1, events),
                new PingPongSettings.Path(mtuBytes, serviceLevel, local),
                timeout);
    }

    private String word() {
        return service.toLowerCase(Locale.ROOT);
    }

    @Override
    public ExchangeProgram<PingPongFigures> open(Rnic rnic, PingPongSettings settings) {
        return new PingPong(rnic, settings, stop, terminal::say);
    }

    @Override
    public String linuxProgram() {
        return "ibv_" + word() + "_pingpong";
    }

    @Override
    public String thisProgram() {
        return "pingpong " + word();
    }
}
