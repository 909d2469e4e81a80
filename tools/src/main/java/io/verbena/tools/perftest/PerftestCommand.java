package io.verbena.tools.perftest;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.exchange.ExchangeCommand;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
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
            "OP is one of write_bw, read_bw, send_bw, atomic_bw, write_lat, read_lat, send_lat and atomic_lat. Both sides need"
                    + " the same OP, size, number of messages, -c, -R and, over iWARP, -r. Without HOST the command is the"
                    + " server: it waits for one client. 'verbena perf' measures Verbena against itself.",
            "",
            "Without -R the sides exchange their addresses over TCP and connect one queue pair by hand; the Linux program then"
                    + " needs a GID (-x). With -R rdma_cm connects two queue pairs: one for the exchange, one for the"
                    + " measurement. This also works over iWARP, which has no other way to connect (--provider iwarp).",
            "",
            "Services (-c):",
            "  RC    reliable connection: all operations",
            "  UC    unreliable connection: Writes and Sends",
            "  UD    datagrams: Sends of at most the path MTU",
            "A service that does not repeat lost messages ends only if all messages arrive: choose -n so that a slow receiver has"
                    + " enough receives (-r).",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena perftest write_bw -a 192.0.2.7        server",
            "  verbena perftest write_bw 192.0.2.7           client: 5000 Writes of 64 KiB",
            "  ib_write_bw -d rxe0 -x 1 192.0.2.7            Linux's client, against a Verbena server",
            "  verbena perftest send_lat 192.0.2.7 -s 8 -n 1000 --inline --json",
            "  verbena perftest send_bw -c UD 192.0.2.7 -s 1024 -n 500",
            "  verbena perftest read_bw -R 192.0.2.7         against 'ib_read_bw -R'",
            "  verbena perftest write_lat -R --provider iwarp 192.0.2.7     against siw: 'ib_write_lat -d siw0 -R'",
            "  verbena perftest write_bw -a 2001:db8::7 --exchange 192.0.2.7     server for IPv6 GIDs"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the measurement is complete",
            "1:the exchange of addresses or a message failed",
            "2:wrong arguments"
        })
public final class PerftestCommand extends ExchangeCommand<PerftestSettings, PerftestResult> {

    private static final int ATOMIC_BYTES = 8;
    private static final int DATAGRAM_BYTES = 1024;
    private static final int BANDWIDTH_BYTES = 65_536;
    private static final int LATENCY_BYTES = 2;
    private static final long BANDWIDTH_MESSAGES = 1000;
    private static final long WRITES = 5000;
    private static final int MOST_DEPTH = 1 << 15;

    @Parameters(index = "0", paramLabel = "OP", description = "What to measure.")
    private String word = "";

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "RC|UC|UD",
            defaultValue = "RC",
            description = "Service of the queue pair. Default: ${DEFAULT-VALUE}.")
    private PerftestService service = PerftestService.RC;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "Connect through rdma_cm; with RC.")
    private boolean managed;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "TYPE",
            defaultValue = "FETCH_AND_ADD",
            description = "Client: FETCH_AND_ADD or CMP_AND_SWAP. Default: ${DEFAULT-VALUE}.")
    private PerftestAtomic atomic = PerftestAtomic.FETCH_AND_ADD;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description =
                    "Length of a message. Default: 64 KiB for a bandwidth, the path MTU at most for UD, 2 bytes for a"
                            + " latency; atomics have 8 bytes.")
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

    public PerftestCommand(Terminal terminal, StopSignal stop) {
        super(terminal, stop);
    }

    @Override
    public void report(PerftestResult result, JsonObject figures) {
        figures.put("iterations", result.iterations());
        String what = Figures.count(result.iterations()) + " messages of " + Figures.bytes(result.bytes());
        if (result.bytesPerSecond() > 0) {
            figures.put("bytesPerSecond", result.bytesPerSecond())
                    .put("messagesPerSecond", result.bytesPerSecond() / result.bytes());
            tell(what + ": " + Figures.bytesPerSecond(result.bytesPerSecond()) + ".");
        } else if (result.latencies().isPresent() && result.latencies().get().count() > 0) {
            figures.put("latencyNs", result.latencies().get().json());
            tell(what + ": " + result.latencies().get().sentence() + ".");
        } else {
            tell(what + ".");
        }
    }

    @Override
    public void checkArguments() throws UsageProblem {
        PerftestOp op = op();
        checkMtu(mtuBytes);
        check(
                service.supports(op),
                "The service " + service + " has no " + op.word() + "; UC has Writes and Sends, UD has Sends");
        check(
                !managed || service == PerftestService.RC,
                "-R connects RC only, not " + service + "; leave -R out to connect by hand");
        check(depth >= 1 && depth <= MOST_DEPTH, "--tx-depth must be 1 to 32768, not " + depth);
        check(receiveDepth >= 1 && receiveDepth <= MOST_DEPTH, "--rx-depth must be 1 to 32768, not " + receiveDepth);
        check(reads >= 1 && reads <= 128, "--outs must be 1 to 128, not " + reads);
        check(
                !op.atomic() || size.orElse((long) ATOMIC_BYTES) == ATOMIC_BYTES,
                "An atomic has 8 bytes: --size must be 8, not " + size.orElse(0L));
        long most = service == PerftestService.UD ? mtuBytes : MOST_BYTES;
        check(
                size.isEmpty() || size.get() >= 1 && size.get() <= most,
                "--size must be 1 to " + most + ", not " + size.orElse(0L)
                        + (service == PerftestService.UD ? ": a datagram is not longer than the path MTU" : ""));
        check(iterations.isEmpty() || iterations.get() >= 1, "--iters must be 1 or more, not " + iterations.orElse(0L));
    }

    @Override
    public PerftestSettings settings(InetAddress local, Duration timeout, JsonObject figures) throws UsageProblem {
        PerftestOp op = op();
        int bytes = size.map(Math::toIntExact).orElse(defaultBytes(op));
        figures.put("op", op.word()).put("service", service.name()).put("size", bytes);
        return new PerftestSettings(
                new PerftestSettings.Test(op, service, atomic),
                new PerftestSettings.Messages(
                        bytes,
                        iterations.orElse(op == PerftestOp.WRITE_BW ? WRITES : BANDWIDTH_MESSAGES),
                        depth,
                        receiveDepth),
                new PerftestSettings.Path(mtuBytes, reads, local),
                timeout);
    }

    private int defaultBytes(PerftestOp op) {
        if (op.atomic()) {
            return ATOMIC_BYTES;
        }
        if (op.latency()) {
            return LATENCY_BYTES;
        }
        return service == PerftestService.UD ? Math.min(DATAGRAM_BYTES, mtuBytes) : BANDWIDTH_BYTES;
    }

    private PerftestOp op() throws UsageProblem {
        return PerftestOp.named(word)
                .orElseThrow(() -> new UsageProblem("There is no operation '" + word
                        + "'; use write, read, send or atomic with _bw or _lat, such as write_bw"));
    }

    @Override
    public boolean byHand() {
        return !managed;
    }

    @Override
    public PerftestResult execute(Rnic rnic, PerftestSettings settings, Sides sides) throws Exception {
        if (!managed) {
            return super.execute(rnic, settings, sides);
        }
        Perftest program = open(rnic, settings);
        if (sides.server().isEmpty()) {
            return program.serve(new InetSocketAddress(sides.local(), port()), this::sayListening);
        }
        try {
            return program.connect(sides.server().get());
        } catch (ConnectionException e) {
            throw notConnected(Problems.sentence(e), e);
        }
    }

    @Override
    public Perftest open(Rnic rnic, PerftestSettings settings) throws Failure {
        return new Perftest(rnic, settings, stop, terminal::say);
    }

    @Override
    public String linuxProgram() {
        return "ib_" + word + (managed ? " -R" : "");
    }

    @Override
    public String thisProgram() {
        return "perftest " + word + (managed ? " -R" : "");
    }
}
